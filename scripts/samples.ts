/**
 * Makes samples/memories.ndjson, the memories of the demo with their vectors and connections, from samples/memories.yaml.
 * Run it after a change of either, or of the built-in model, next to a service that uses that model: `npm start`.
 */
import { readFile, rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { z } from 'zod'
import { exportFile } from '../src/cli/bundle/export-file.ts'
import { connectClient } from '../src/cli/shell/connect.ts'
import { createTerminal } from '../src/cli/shell/terminal.ts'
import { relationshipType } from '../src/contract/connections.ts'

const samples = z.strictObject({
  memories: z.array(
    z.strictObject({
      name: z.string().optional(),
      content: z.string(),
      tags: z.array(z.string()),
      policy: z.string().default('long_term'),
      kind: z.string().optional(),
      session: z.string().optional(),
    }),
  ),
  connections: z.array(z.tuple([z.string(), relationshipType, z.string()])),
})

const fileOf = (name: string) => fileURLToPath(new URL(`../samples/${name}`, import.meta.url))

const { memories, connections } = samples.parse(parse(await readFile(fileOf('memories.yaml'), 'utf8')))
const tenant = `samples-${Date.now()}`
const client = await connectClient({ tenant })
const ids = new Map<string | undefined, string>()
for (const { name, session, ...fields } of memories) {
  const { id } = await client.createMemory({
    ...fields,
    ttl_seconds: 0,
    ...(session && { session_id: session }),
  })
  ids.set(name, id)
}
const idOf = (name: string) => {
  const id = ids.get(name)
  if (id === undefined) throw new Error(`No memory has the name ${name}.`)
  return id
}
for (const [source, relationship_type, target] of connections)
  await client.createConnection({ source_id: idOf(source), target_id: idOf(target), relationship_type })
while ((await client.getStats()).queue.depth > 0) await pause(500)
const terminal = createTerminal(process.stdout, process.stderr, new AbortController().signal)
const path = fileOf('memories.ndjson')
await rm(path, { force: true })
const { sums } = await exportFile(client, path, { tenant, vectors: true, terminal })
terminal.finish(JSON.stringify(sums))
