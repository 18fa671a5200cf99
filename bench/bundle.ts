/**
 * Takes a bundle of many memories with connections and vectors into a service and out again, while others read there:
 * `npm run bench:bundle -- --url http://127.0.0.1:4545 --key KEY --memories 20000`. The tenant is a new one and is emptied
 * at the end. Figures on standard output.
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { sendBundle } from '../src/cli/bundle/send.ts'
import { createClient } from '../src/client.ts'
import type { Line } from '../src/contract/bundle.ts'
import { bundleLines, connectionLine, memoryLine } from '../tools/bundle-lines.ts'

const { values } = parseArgs({
  options: {
    memories: { type: 'string', default: '20000' },
    url: { type: 'string', default: 'http://127.0.0.1:4545' },
    key: { type: 'string', default: '' },
  },
})
const many = Number(values.memories)
const { url, key: apiKey } = values
const client = createClient({ baseUrl: `${url}/api/v1`, apiKey, tenant: `bench-${randomUUID()}` })
const signal = new AbortController().signal

const { active, spaces } = await client.listEmbeddingSpaces()
const { provider, model, dimensions } = spaces.find(({ id }) => id === active) ?? {
  provider: '',
  model: '',
  dimensions: 1,
}

const lines = makeBundle()
const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
const into = await whileReading(() =>
  sendBundle(client, numbered(lines), { signal, onPart: () => {}, onPause: reason => console.error(reason) }),
)
const out = await whileReading(exportAll)
const same = JSON.stringify(out.answer) === JSON.stringify(JSON.parse(lines.at(-1) ?? '').sections)
await client.importBundle({ lines: bundleLines([]), mode: 'replace' }).then(goOn)

console.log(`${many} memories, ${lines.length} lines, ${(bytes / 1e6).toFixed(0)} MB; same digests: ${same}`)
console.log(`| import | ${into.seconds.toFixed(1)} s | ${Math.round(many / into.seconds)} | ${into.reads} |`)
console.log(`| export | ${out.seconds.toFixed(1)} s | ${Math.round(many / out.seconds)} | ${out.reads} |`)

/** Memories of 200 letters, each with a vector and a connection to five others. */
function makeBundle(): string[] {
  const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + index).toISOString()
  const ids = Array.from({ length: many }, () => randomUUID())
  const memories = ids.flatMap((id, index): Line[] => [
    memoryLine({
      id,
      content: `memory ${index} ${'words that fill the memory '.repeat(7)}`.slice(0, 200),
      tags: [`tag-${index % 50}`],
      created_at: at(index),
      updated_at: at(index),
    }),
    { section: 'vectors', id, truncated: false, vector: randomVector() },
  ])
  const connections = ids
    .flatMap((id, index) => [1, 2, 3, 4, 5].map(step => [id, ids[(index + step) % many] ?? ''] as const))
    .map(([source, target], index) =>
      connectionLine(source, target, {
        relationship_type: 'related_to',
        strength: 0.75,
        created_at: at(index),
      }),
    )
  return bundleLines([...memories, ...connections], {
    made_at: at(0),
    vectors: { provider, model, dimensions },
  })
}

function randomVector(): string {
  const numbers = Float32Array.from({ length: dimensions }, () => Math.random() - 0.5)
  return Buffer.from(numbers.buffer).toString('base64')
}

/** How long it takes, and how one other caller fares in the meantime. */
async function whileReading<T>(work: () => Promise<T>) {
  const times: number[] = []
  let done = false
  const reader = (async () => {
    while (!done) {
      const began = performance.now()
      await client.searchMemories({ query: 'memory words', search_type: 'keyword', limit: 5 })
      times.push(performance.now() - began)
    }
  })()
  const began = performance.now()
  const answer = await work()
  const seconds = (performance.now() - began) / 1000
  done = true
  await reader
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0)
  return { answer, seconds, reads: `${times.length} searches, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms` }
}

async function exportAll(): Promise<unknown> {
  let end = ''
  for await (const piece of (await client.exportBundle({})).pieces) end = (end + piece).slice(-5_000)
  return JSON.parse(end.trimEnd().split('\n').at(-1) ?? '').sections
}

async function goOn({ cursor }: { cursor: string | null }): Promise<void> {
  if (cursor !== null) await client.importBundle({ lines: [], cursor, mode: 'replace' }).then(goOn)
}

async function* numbered(texts: readonly string[]) {
  for (const [index, text] of texts.entries()) yield { text, end: index + 1 }
}
