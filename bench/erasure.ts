/**
 * How the time of an erasure grows with what it erases: `node bench/erasure.ts --sizes 10000,50000,100000`. It starts a
 * service of its own with a managed Neo4j; for each size a tenant gets so many memories and 20 maintenance runs that
 * archived 1,000 of them each and were undone, and is erased. Figures on standard output; exits with 1 if a receipt is not
 * verified or does not count every memory.
 */
import { parseArgs } from 'node:util'
import { createClient } from '../src/client.ts'
import { removeFoldersAtExit, temporaryFolder } from '../tools/temporary-folder.ts'
import { startService } from './processes.ts'
import { KEY, managedIn } from './world.ts'

const { values } = parseArgs({ options: { sizes: { type: 'string', default: '10000,50000,100000' } } })
const BATCH = 500
const RUNS = 20
const PAUSE_MS = 86_400_000

removeFoldersAtExit()
const folder = temporaryFolder()
const settings = {
  ...managedIn(folder),
  SERVICE_LOG_LEVEL: 'error',
  SERVICE_RATE_LIMIT: '0',
  SERVICE_REQUEST_TIMEOUT_MS: '600000',
  SERVICE_EMBEDDING_PROVIDER: 'hash',
  SERVICE_AUTO_DISCOVERY_THRESHOLD: '1',
}
await using service = await startService(settings, `${folder}/service.log`)
// The erasure is measured alone, and takes the jobs of its memories with it.
await clientOf('erasure').pauseQueue({
  until: new Date(Date.now() + PAUSE_MS).toISOString(),
})
process.stdout.write('| memories | erased within | for each memory | verified |\n|---|---|---|---|\n')
for (const size of values.sizes.split(',').map(Number)) await measure(size)

async function measure(size: number) {
  const client = clientOf(`erasure-${size}`)
  for (let at = 0; at < size; at += BATCH)
    await client.createMemories({
      memories: Array.from({ length: BATCH }, (_, index) => ({
        content: `A short memory with the number ${at + index}.`,
        policy: 'long_term',
        ttl_seconds: 0,
      })),
    })
  for (let run = 0; run < RUNS; run++) {
    const { plan_id } = await client.planMaintenance({ kind: 'forget', filters: { policy: 'long_term' } })
    await client.applyMaintenance({ id: plan_id as string })
    await client.undoMaintenance({ id: plan_id as string })
  }
  const began = performance.now()
  const { verified, counts } = await client.eraseMemories({ all: true })
  const took = performance.now() - began
  if (!verified || counts.memories !== size) process.exitCode = 1
  process.stdout.write(
    `| ${counts.memories} | ${(took / 1_000).toFixed(1)} s | ${(took / size).toFixed(2)} ms | ${verified} |\n`,
  )
}

function clientOf(tenant: string) {
  return createClient({ baseUrl: `${service.url}/api/v1`, apiKey: KEY, tenant })
}
