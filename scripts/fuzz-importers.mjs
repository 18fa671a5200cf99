/**
 * Damages 5,000 files of other tools and imports them: `npm run fuzz:importers`, or with other figures
 * `npm run fuzz:importers -- FILES SEED`. A failure names the seed and the file.
 */
import { spawnSync } from 'node:child_process'

const [files = '5000', seed = '20261126'] = process.argv.slice(2)
const { status } = spawnSync('npx', ['vitest', 'run', 'test/cli/import-fuzz.test.ts'], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, MNEMOGRAPH_TEST_FILES: files, MNEMOGRAPH_TEST_SEED: seed },
})
process.exitCode = status ?? 1
