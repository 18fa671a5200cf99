import { expect, test } from 'vitest'
import type { Context, GroupCommit } from '../../src/context.ts'
import { routes } from '../../src/contract/index.ts'
import { storeMemory } from '../../src/service/memories/create.ts'
import type { Caller } from '../../src/store/neo4j/attempts.ts'
import { write } from '../../src/store/neo4j/statements.ts'
import { textDigest } from '../../src/store/neo4j/tokens.ts'
import { withBoltProxy } from '../support/bolt-proxy.ts'
import { contextOf } from '../support/lifecycle.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'
import { listenTo } from '../support/statements.ts'

const proxy = withBoltProxy()
const service = withService(() => ({ settings: { NEO4J_URI: proxy.uri } }))

const tenants = [freshTenant(), freshTenant(), freshTenant()]
const contents = Array.from({ length: 60 }, (_, at) => `note ${at}`)
const createAll = (headers?: (at: number) => Record<string, string>) =>
  Promise.all(
    contents.map((content, at) =>
      service
        .clientOf(tenants[at % tenants.length] as string)
        .createMemory(someMemory({ content, tags: [`own ${at}`] }), headers ? { headers: headers(at) } : {}),
    ),
  )

test('what many callers create at the same time shares commits, and each gets its own back', async () => {
  const heard = listenTo(service)
  const memories = await createAll()
  const groups = heard.flatMap(({ text, parameters }) =>
    text.includes('CREATE (m:Memory {') ? [parameters.rows as { tenant: string }[]] : [],
  )
  expect(groups.flat()).toHaveLength(contents.length)
  expect(groups.length).toBeLessThan(contents.length / 2)
  expect(groups.some(rows => new Set(rows.map(({ tenant }) => tenant)).size > 1)).toBe(true)
  expect(memories.map(({ content }) => content)).toEqual(contents)
  for (const [at, { id, tags }] of memories.entries()) {
    expect(tags).toEqual([`own ${at}`])
    const { getMemory, listJobs } = service.clientOf(tenants[at % tenants.length] as string)
    expect((await getMemory({ id, record_recall: false })).content).toBe(`note ${at}`)
    expect((await listJobs({ memory_id: id })).jobs).toHaveLength(1)
    const otherTenant = service.clientOf(tenants[(at + 1) % tenants.length] as string)
    expect(await problemOf(otherTenant.getMemory({ id }))).toMatchObject({ status: 404 })
  }
})

test.each(['answer', 'request'] as const)(
  'a shared commit whose %s is lost makes each memory once',
  async what => {
    const before = await total()
    const memories = await proxy.losing(what, 'CREATE (m:Memory {', () => createAll())
    expect(new Set(memories.map(({ id }) => id)).size).toBe(contents.length)
    expect(await total()).toBe(before + contents.length)
  },
)

test('each caller keeps its own Idempotency-Key in a shared commit', async () => {
  const before = await total()
  const headers = (at: number) => ({ 'idempotency-key': `together-${at}` })
  const first = await createAll(headers)
  expect(await createAll(headers)).toEqual(first)
  expect(await total()).toBe(before + contents.length)
})

test('a caller that is refused leaves the others alone', async () => {
  const answers = await Promise.allSettled([
    service.client.createMemory(someMemory({ content: 'one' })),
    service.client.createMemory(someMemory({ policy: 'no such policy' })),
    service.client.createMemory(someMemory({ content: 'other' })),
  ])
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('two tenants whose new memories have the same id each get their own back', async () => {
  const id = '01a1f83d-50ec-7c3e-8a6c-2f9d4b71e803'
  const contexts = [freshTenant(), freshTenant()].map(tenant => contextOf(service, tenant))
  const inputOf = (ctx: Context) =>
    routes.createMemory.input.parse(someMemory({ content: `of ${ctx.tenant}` }))
  const made = await Promise.all(
    contexts.map(ctx => storeMemory(ctx, { ...inputOf(ctx), id, sensitive: [], embedding: null })),
  )
  const contentsOf = (each: Awaited<ReturnType<typeof storeMemory>>) =>
    'created' in each ? each.created.map(({ content }) => content) : []
  expect(made.map(contentsOf)).toEqual(contexts.map(({ tenant }) => [`of ${tenant}`]))
})

test('a row that the database refuses fails alone, wherever it stands in its group', async () => {
  const divide = grouped({ ...small, commit: divideAll })
  const answers = await Promise.allSettled(Array.from({ length: 40 }, (_, at) => divide(asking(), at - 17)))
  const failed = answers.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))
  expect(failed).toEqual([17])
})

test('a row that always meets what another transaction has made is tried few times, and fails alone', async () => {
  const { id } = await service.client.createMemory(someMemory())
  const heard = listenTo(service)
  const forestalled = grouped({
    ...small,
    rows: 128,
    size: 128,
    async commit(caller, _space, rows) {
      const text = `UNWIND $rows AS row WITH row WHERE row = 17
        CREATE (m:Memory {tenant: $tenant, id: $id})`
      await write(caller, text, { rows, tenant: service.tenant, id })
      return [...rows]
    },
  })
  const answers = await Promise.allSettled(Array.from({ length: 128 }, (_, at) => forestalled(asking(), at)))
  expect(answers.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))).toEqual([17])
  const tried = heard.filter(
    ({ text, parameters }) => text.includes('= 17') && String(parameters.rows).split(',').includes('17'),
  )
  expect(tried.length).toBeLessThan(15)
})

test("a create that waits for a lock holds up no other tenant's creates", async () => {
  const [slow, quick] = tenants.slice(0, 2) as [string, string]
  const content = 'Somebody else is writing this'
  const { driver } = service.app.neo4j
  const session = driver.session()
  const writing = session.beginTransaction()
  await writing.run('MERGE (:TextLock {key: $key})', { key: `${slow}:${textDigest(content)}` })
  const waiting = service.clientOf(slow).createMemory(someMemory({ content, on_duplicate: 'return' }))
  for (let at = 0; at < 3; at++)
    expect((await service.clientOf(quick).createMemory(someMemory({ content: `${at}` }))).content).toBe(
      `${at}`,
    )
  await writing.rollback()
  await session.close()
  expect((await waiting).content).toBe(content)
})

test('a caller that gives up takes nobody with it', async () => {
  const gate = Promise.withResolvers<void>()
  const commit: typeof divideAll = async (...given) => {
    await gate.promise
    return divideAll(...given)
  }
  const divide = grouped({ ...small, commit })
  const leaving = new AbortController()
  const waiting = [1, 2, 3, 4, 5].map(row =>
    divide(asking(row === 1 || row === 4 ? leaving.signal : undefined), row),
  )
  await Promise.resolve()
  leaving.abort()
  gate.resolve()
  const answers = await Promise.allSettled(waiting)
  expect(answers.map(answer => (answer.status === 'fulfilled' ? answer.value : answer.reason.code))).toEqual([
    'database_unavailable',
    50,
    33,
    'database_unavailable',
    20,
  ])
})

test('group commits of one queue run one at a time, also after one that fails', async () => {
  const started: number[] = []
  const gate = Promise.withResolvers<void>()
  const commit: typeof divideAll = async (caller, space, rows) => {
    started.push(...rows)
    await gate.promise
    return divideAll(caller, space, rows)
  }
  const [one, another] = [grouped({ ...small, commit }), grouped({ ...small, commit })]
  const answers = Promise.allSettled([one(asking(), 0), another(asking(), 2)])
  await expect.poll(() => started).toEqual([0])
  gate.resolve()
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(started).toEqual([0, 2])
})

const small = { queue: 'divide', rows: 16, size: 100, sizeOf: () => 1 }

const grouped =
  (group: GroupCommit<number, number>) =>
  (committer: ReturnType<typeof asking>, row: number): Promise<number> =>
    service.app.groupCommits.commit(group, committer, row)

const asking = (signal = new AbortController().signal) => ({
  space: service.app.embeddings.active().space,
  signal,
})

/** What a row fails for here is a division by zero. */
async function divideAll(caller: Caller, _space: unknown, rows: readonly number[]): Promise<number[]> {
  const text = 'UNWIND $rows AS row RETURN 100 / toInteger(row) AS answer'
  return (await write<{ answer: number }>(caller, text, { rows })).map(({ answer }) => answer)
}

async function total(): Promise<number> {
  const [row] = await service.cypher<{ n: number }>(
    'MATCH (m:Memory) WHERE m.tenant IN $tenants RETURN count(m) AS n',
    { tenants },
  )
  return row?.n ?? 0
}
