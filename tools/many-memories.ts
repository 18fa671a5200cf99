import { sendBundle } from '../src/cli/bundle/send.ts'
import type { Client } from '../src/client.ts'
import type { Line } from '../src/contract/bundle.ts'
import { bundleLines, connectionLine, memoryLine } from './bundle-lines.ts'
import { seededRandom } from './seeded-random.ts'

const DAY_MS = 86_400_000
const GROUP = 60
const types = ['related_to', 'caused_by', 'part_of', 'references', 'supports'] as const
const topics =
  'billing checkout search mobile onboarding refunds timetable tickets seating catering crew safety fuel weather harbour customs freight cars loyalty prices payments invoices reports alerts backups deployment database network certificates logging tracing support training hiring legal privacy contracts suppliers marketing website translations accessibility maps notices boarding luggage cabins meals cleaning repairs'.split(
    ' ',
  )
const subjects =
  'the nightly job,the on-call engineer,the new release,a customer from Oslo,the partner API,the second region,the old queue,the weekly report,the load test,the audit'.split(
    ',',
  )
const verbs =
  'waits for,was moved to,depends on,failed after,is reviewed with,must not change,was measured against,replaces,shares a lock with,is paid by'.split(
    ',',
  )
const objects =
  'the import of prices,the cache in front of the harbour list,two retries,the summer tariff,the signed contract,the connection pool,the shadow table,the quota of each line,the plan of the spring,the rollback'.split(
    ',',
  )
const kinds = ['fact', 'decision', 'event', 'preference', null]

/**
 * Imports so many memories in groups of about 60, each with its vector and three connections, of the last 90 days. The
 * same number gives the same memories.
 */
export async function importMany(client: Client, count: number): Promise<void> {
  const { active, spaces } = await client.listEmbeddingSpaces()
  const space = spaces.find(({ id }) => id === active)
  if (!space) throw new Error('The service has no active embedding space.')
  const { provider, model, dimensions } = space
  const lines = bundleLines(linesOf(count, dimensions), { vectors: { provider, model, dimensions } })
  const { signal } = new AbortController()
  await sendBundle(client, numbered(lines), { signal, onPart: () => {}, onPause: () => {} })
}

function linesOf(count: number, dimensions: number): Line[] {
  const random = seededRandom(count)
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T
  const now = Date.now()
  const idOf = (at: number) => `0192a000-0000-7000-8000-${at.toString(16).padStart(12, '0')}`
  const topicOf = (at: number) => topics[Math.floor(at / GROUP) % topics.length] as string
  const places = Array.from({ length: count }, (_, at) => at)
  const memories = places.flatMap((at): Line[] => {
    const time = new Date(now - Math.floor(random() ** 2 * 90 * DAY_MS)).toISOString()
    const topic = topicOf(at)
    const sentence = `${pick(subjects)} ${pick(verbs)} ${pick(objects)}`
    return [
      memoryLine({
        ...{ id: idOf(at), created_at: time, updated_at: time },
        content: `${sentence[0]?.toUpperCase()}${sentence.slice(1)}, number ${at + 1} of ${topic}.`,
        tags: random() < 0.3 ? [...new Set([topic, pick(topics)])] : [topic],
        importance: Math.round(20 * random()) / 20,
        health: Math.round(40 + 60 * random()),
        source: random() < 0.5 ? `wiki/${topic}` : null,
        kind: pick(kinds),
      }),
      { section: 'vectors', id: idOf(at), truncated: false, vector: vectorOf(random, dimensions) },
    ]
  })
  const connections = places.flatMap(at => {
    const from = at - (at % GROUP)
    const within = Math.min(GROUP, count - from)
    const near = [1, 7].map(step => from + ((at - from + step) % within))
    const other = random() < 0.15 ? Math.floor(random() * count) : from
    return [...new Set([...near, other])]
      .filter(to => to !== at)
      .map(to =>
        connectionLine(idOf(at), idOf(to), {
          relationship_type: pick(types),
          strength: Math.round(100 * (0.3 + 0.7 * random())) / 100,
        }),
      )
  })
  return [...memories, ...connections]
}

function vectorOf(random: () => number, dimensions: number): string {
  const numbers = Float32Array.from({ length: dimensions }, () => random() - 0.5)
  return Buffer.from(numbers.buffer).toString('base64')
}

async function* numbered(texts: readonly string[]) {
  for (const [index, text] of texts.entries()) yield { text, end: index + 1 }
}
