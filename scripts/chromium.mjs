/**
 * Finds the Chromium that the tests of pages use. Runs before `npm test`, on any Node from 18.17 on: if there is none,
 * it installs Debian's package where it can (as root, with apt-get), and fails otherwise.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
/** Where the installers of macOS and Windows put it, outside the PATH. */
const places = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

export const CHROMIUM_MISSING =
  'The tests of pages need Chromium or Chrome: install it with `apt-get install chromium` (Debian), ' +
  '`brew install --cask google-chrome` (macOS) or `winget install Google.Chrome` (Windows).'

/** The path of a Chromium or Chrome on this machine; undefined if there is none. */
export const findChromium = () =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap(folder => names.map(name => join(folder, name)))
    .concat(places)
    .find(path => existsSync(path))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!findChromium() && process.getuid?.() === 0) installPackage()
  if (!findChromium()) {
    console.error(CHROMIUM_MISSING)
    process.exitCode = 1
  }
}

function installPackage() {
  console.error('Installing Chromium for the tests of pages')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const words of [['update'], ['install', '--yes', '--no-install-recommends', 'chromium']])
    spawnSync('apt-get', ['--quiet=2', ...words], { env, stdio: ['ignore', 'ignore', 'inherit'] })
}
