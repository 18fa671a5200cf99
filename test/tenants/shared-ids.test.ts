import { randomUUID } from 'node:crypto'
import type { GraphQLSchema } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeSchema } from '../../src/api/graphql/schema.ts'
import { type ToolRoute, toolName, toolRoutes } from '../../src/api/mcp/tools.ts'
import { type RouteName, routeNames, routes } from '../../src/contract/index.ts'
import { readMigrations } from '../../src/store/neo4j/schema.ts'
import { bundleLines, connectionLine, imported, memoryLine } from '../../tools/bundle-lines.ts'
import { declared } from '../support/graphql-contract.ts'
import { ask } from '../support/mcp.ts'
import { operate } from '../support/operate.ts'
import { send } from '../support/send.ts'
import { freshTenant, OPERATOR_KEY, withService } from '../support/service.ts'
import { CANARY, type Names, type Probe, probes, unknownNames } from '../support/tenant-probes.ts'

/** A tenant whose memories were imported with these ids. */
type Owner = { tenant: string; ids: [Uuid, Uuid, Uuid, Uuid, Uuid] }
/** Two tenants with the same memories: one has the ids of the neighbour, the other ids that nobody else has. */
type Twins = [Owner, Owner]
type Api = 'REST' | 'GraphQL' | 'MCP'
type Uuid = ReturnType<typeof randomUUID>

/** In order, as ties are broken by ids. */
const idsInOrder = () => Array.from({ length: 5 }, () => randomUUID()).sort() as Owner['ids']
const shared = idsInOrder()
const neighbour: Owner = { tenant: freshTenant(), ids: shared }

const service = withService()
let schema: GraphQLSchema
let readers: Twins
let writers: Twins
let ofNeighbour: unknown
beforeAll(async () => {
  schema = await makeSchema()
  await fill(neighbour, CANARY)
  await service.clientOf(neighbour.tenant).listChanges({})
  readers = await twins()
  writers = await twins()
  ofNeighbour = await everythingOf(neighbour.tenant)
})

async function twins(): Promise<Twins> {
  const one = { tenant: freshTenant(), ids: shared }
  const other = { tenant: freshTenant(), ids: idsInOrder() }
  await Promise.all([fill(one, 'mine'), fill(other, 'mine')])
  return [one, other]
}

const tenants: string[] = []

async function fill({ tenant, ids }: Owner, word: string) {
  tenants.push(tenant)
  const [memory, connected, archived, third, last] = ids
  const said = ['cat', 'dog that barks', 'old violin', 'train in the rain', 'cat']
  const { left_out } = await imported(
    service.clientOf(tenant),
    bundleLines([
      ...ids.map((id, at) =>
        memoryLine({
          id,
          content: `${word} ${said[at]}`,
          tags: [word],
          ...(id === archived ? { state: 'archived', archived_at: '2026-01-01T00:00:00.000Z' } : {}),
        }),
      ),
      connectionLine(memory, connected),
      connectionLine(connected, third, { strength: 0.5 }),
      connectionLine(third, last),
    ]),
  )
  expect(left_out).toEqual([])
  await service.drain(tenant)
}

const reads = (name: RouteName) => routes[name].scope === 'read'

/** What all do alike when they write is tried by REST. */
const offered: Record<Api, readonly RouteName[]> = {
  REST: routeNames.filter(name => routes[name].scope !== 'open'),
  GraphQL: declared.filter(reads),
  MCP: toolRoutes.filter(reads),
}

/** They take away what others name, or list what others did. */
const alone: readonly RouteName[] = [
  'deleteMemory',
  'restoreMemory',
  'deleteConnection',
  'resolveConflict',
  'importBundle',
  'applyMaintenance',
  'undoMaintenance',
  'eraseMemories',
  'listAudit',
]

const twinsFor = (name: RouteName) => (reads(name) ? readers : alone.includes(name) ? twins() : writers)

describe.each(Object.keys(offered) as Api[])('%s', api => {
  test.each(offered[api])(
    '%s with ids that another tenant has too acts as if nobody else had them',
    async name => {
      const [one, other] = await twinsFor(name)
      const reference = probesOf(name, other)
      for (const [at, probe] of probesOf(name, one).entries()) {
        const answer = await answers[api](one, name, probe)
        const expected = await answers[api](other, name, reference[at] as Probe<RouteName>)
        expect(anonymous(answer, one)).toBe(anonymous(expected, other))
        if (!JSON.stringify(probe.input).includes(CANARY)) expect(answer).not.toContain(CANARY)
      }
      if (reads(name)) return
      for (const { tenant } of [one, other]) await service.drain(tenant)
    },
  )

  // To read it takes the whole database, and longer than most operations.
  test('all of them act on their own tenant alone', async () => {
    expect(await everythingOf(neighbour.tenant)).toEqual(ofNeighbour)
  })
})

test('no connection leads to a memory of another tenant', async () => {
  const crossing =
    'MATCH (a:Memory {tenant: $tenant})--(b:Memory) WHERE b.tenant <> a.tenant RETURN count(*) AS n'
  expect(await service.cypher(crossing, { tenant: neighbour.tenant })).toEqual([{ n: 0 }])
})

test('what all operations write has names that the migrations made, so no plan is made again for a new name', async () => {
  const made = (await readMigrations()).flatMap(({ statements }) => statements).join('\n')
  const names = await service.cypher<{ name: string }>(
    `MATCH (n) WHERE n.tenant IN $tenants
    UNWIND labels(n) + keys(n) + COLLECT { MATCH (n)-[r]->() UNWIND [type(r)] + keys(r) AS name RETURN DISTINCT name } AS name
    RETURN DISTINCT name`,
    { tenants },
  )
  expect(names.length).toBeGreaterThan(50)
  const ofSpaces = /^embedding(Truncated)?_/
  expect(names.filter(({ name }) => !ofSpaces.test(name) && !new RegExp(`\\b${name}\\b`).test(made))).toEqual(
    [],
  )
})

test('what maintenance removes comes back by an undo, though another tenant has the id', async () => {
  const [{ tenant }] = await twins()
  const client = service.clientOf(tenant)
  await client.putPolicy({ name: 'long_term', health_decay: 1, remove_after_seconds: 1 })
  const { plan_id } = await client.planMaintenance({})
  const { run_id } = await client.applyMaintenance({ id: plan_id as string })
  const [, , id] = shared
  expect((await client.getMemory({ id }).catch(error => error)).status).toBe(404)
  await client.undoMaintenance({ id: run_id })
  expect(await client.getMemory({ id })).toMatchObject({ content: 'mine old violin', state: 'archived' })
})

function probesOf(name: RouteName, { tenant, ids }: Owner): Probe<RouteName>[] {
  const [memory, connected, archived, third, last] = ids
  const names: Names = { ...unknownNames(memory, tenant), other: archived, connected }
  return probes[name](names, { ...names, memory: third, other: last }) as Probe<RouteName>[]
}

const answers: Record<Api, (of: Owner, name: RouteName, probe: Probe<RouteName>) => Promise<string>> = {
  async REST({ tenant }, name, probe) {
    const { text, head } = await send(service.baseUrl, { apiKey: OPERATOR_KEY, tenant }, name, probe)
    expect(head.status, text).toBeLessThan(500)
    return JSON.stringify(head) + text
  },
  GraphQL: ({ tenant }, name, { input }) => operate(service, schema, name, input, { tenant }),
  async MCP({ tenant }, name, { input }) {
    const call = { name: toolName(name as ToolRoute), arguments: input }
    return JSON.stringify(await ask({ url: service.url, tenant }, 'tools/call', call))
  },
}

/** All nodes and connections of a tenant, with all their properties. */
const everythingOf = (tenant: string) =>
  service.cypher(
    `MATCH (n) WHERE n.tenant = $tenant
    WITH n ORDER BY elementId(n)
    RETURN labels(n) AS labels, properties(n) AS properties,
      COLLECT { MATCH (n)-[r]->(m) RETURN [type(r), properties(r), m.id] ORDER BY elementId(r) } AS connections`,
    { tenant },
  )

/** Without what differs between twins: their names, times, and the last bits of their vectors. */
function anonymous(text: string, { tenant, ids }: Owner): string {
  return ids
    .reduce<string>((all, id, at) => all.replaceAll(id, `<${at}>`), text)
    .replaceAll(tenant, '<tenant>')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/p_[0-9a-f]{8}(_[0-9a-f]{4}){3}_[0-9a-f]{12}/g, '<policy>')
    .replaceAll(/mnk_[0-9a-f]+_[A-Za-z0-9_-]+/g, '<secret>')
    .replaceAll(/whsec_[A-Za-z0-9+/]+=/g, '<secret>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/[\w-]{2,}\.[\w-]{43}/g, '<cursor>')
    .replaceAll(/\\?"(vector|sha256|digest)\\?":(\\?"[^"]*"|\[[^\]]*\])/g, '"$1":""')
    .replaceAll(/\d\.\d{5,}/g, '<number>')
    .replaceAll(/(seconds|ready|missing|tokens)(\\?"):[\d.]+/gi, '$1$2:0')
}
