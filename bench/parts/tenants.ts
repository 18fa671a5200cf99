import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { askOf } from '../contestants/service.ts'
import { rowOf, untilIndexed } from '../graph.ts'
import type { Findings } from '../report.ts'
import { percentiles } from '../rounds.ts'
import { KEY, type World } from '../world.ts'

const MEMORIES = 100_000
const CHARACTERS = 5_000
const ROWS = 500
const CALLS = 15
const WARM_UP = 3
const READINGS = 3
const KEPT_MS = 11_000
const TENANT = 'large'
/** As the migration has it. */
const TEXT_INDEX =
  /CREATE FULLTEXT INDEX memory_text[^;]+/.exec(
    readFileSync(new URL('../../schema/migrations/0001-memories.cypher', import.meta.url), 'utf8'),
  )?.[0] ?? ''

/** What an operator asks about a store whose contents no request can afford to read: 500 MB. */
export async function measureTenants(world: World): Promise<Findings> {
  const { service, say } = world
  const ask = askOf(service.url)
  await ask(TENANT, 'PUT', `/admin/tenants/${TENANT}/quota`, {
    memories: 10 * MEMORIES,
    characters: 10 * MEMORIES * CHARACTERS,
  })
  await store(world)
  // A feed that nobody reads is numbered by a worker within a minute.
  await using _worker = await world.another({ SERVICE_ROLE: 'all' })
  await numbered(world)
  const create = () =>
    ask(TENANT, 'POST', '/memories', {
      content: `a memory ${crypto.randomUUID()}`,
      policy: 'long_term',
      ttl_seconds: 0,
    })
  const operations = {
    'list the tenants': () => ask(TENANT, 'GET', '/admin/tenants'),
    'first page of a backup': () => firstPiece(service.url),
    'read /metrics': () => metrics(service.url),
    'create a memory under a quota': create,
  }
  const figures: Record<string, string | number> = {
    memories: MEMORIES,
    'characters of each': CHARACTERS,
  }
  for (const [name, call] of Object.entries(operations)) {
    const isKept = name === 'read /metrics'
    const times: number[] = []
    for (let at = 0; at < (isKept ? READINGS : WARM_UP + CALLS); at++) {
      // What the store says is kept for ten seconds.
      if (isKept) await pause(KEPT_MS)
      const began = performance.now()
      await call()
      if (isKept || at >= WARM_UP) times.push(performance.now() - began)
    }
    const { p50 } = percentiles(times)
    figures[`${name}, median / longest`] = `${p50.toFixed(0)} / ${Math.max(...times).toFixed(0)} ms`
    say(`${name}: ${figures[`${name}, median / longest`]}`)
  }
  return { figures }
}

/** Stored as the service does, with their changes, but without vectors and their search. */
async function store({ driver, corpus, say }: World) {
  // Filled in one go, the index of words takes a fraction of the time.
  await driver.executeQuery('DROP INDEX memory_text')
  const words = readFileSync(import.meta.filename, 'utf8').match(/[a-z]{4,}/g) ?? []
  const text = (at: number) =>
    Array.from({ length: CHARACTERS }, (_, n) => words[(at * 31 + n * 7) % words.length])
      .join(' ')
      .slice(0, CHARACTERS)
  for (let from = 0; from < MEMORIES; from += ROWS) {
    const rows = Array.from({ length: ROWS }, (_, n) => {
      const memory = { ...corpus.memory(n), tenant: TENANT, id: crypto.randomUUID(), content: text(from + n) }
      const { properties, at } = rowOf(memory, new Float32Array(1))
      return { properties, at }
    })
    await driver.executeQuery(
      `CYPHER 25
      UNWIND $rows AS row
      WITH row, datetime({epochMillis: row.at, timezone: 'Z'}) AS at
      CREATE (m:Memory) SET m = row.properties, m.createdAt = at, m.updatedAt = at, m.counted = [1, 0, size(m.content)], m.discoveredRevision = 1
      CREATE (:Change {tenant: m.tenant, unnumbered: m.tenant, at: datetime.realtime('Z'), kind: 'created',
        memoryId: m.id, version: 1, usage: m.counted})`,
      { rows },
    )
    if (from % 10_000 === 0) say(`${from} stored`)
  }
  await driver.executeQuery(TEXT_INDEX)
  await untilIndexed(driver)
  await driver.executeQuery('CALL db.prepareForReplanning(600)')
}

const headers = { authorization: `Bearer ${KEY}`, 'x-tenant-id': TENANT }

async function numbered({ driver, say }: World) {
  const unread = 'MATCH (c:Change) WHERE c.unnumbered = $tenant AND c.at IS NOT NULL RETURN count(c) AS left'
  for (let left = MEMORIES; left > 0; await pause(1_000)) {
    const { records } = await driver.executeQuery(unread, { tenant: TENANT })
    left = records[0]?.get('left') as number
    say(`${left} changes have no number`)
  }
}

/** The export is one stream: its first piece has the first memories. */
async function firstPiece(url: string) {
  const response = await fetch(`${url}/api/v1/export`, { headers })
  const reader = response.body?.getReader()
  let length = 0
  while (length < 100_000) {
    const piece = await reader?.read()
    if (!piece || piece.done) throw new Error(`the export ended after ${length} bytes`)
    length += piece.value.length
  }
  await reader?.cancel()
}

async function metrics(url: string) {
  const response = await fetch(`${url}/metrics`, { headers })
  if (!(await response.text()).includes('mnemograph_tenants')) throw new Error('no figures')
}
