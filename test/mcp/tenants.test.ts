import { beforeAll, expect, test } from 'vitest'
import { PROBLEM } from '../../src/api/mcp/call.ts'
import { promptNames, prompts } from '../../src/api/mcp/prompts.ts'
import { toolName, toolRoutes } from '../../src/api/mcp/tools.ts'
import { routes } from '../../src/contract/index.ts'
import type { Scope } from '../../src/contract/route.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { ask, post } from '../support/mcp.ts'
import { freshTenant, withService } from '../support/service.ts'
import {
  CANARY,
  createOneOfEach,
  type Names,
  type Probe,
  probes,
  unknownNames,
} from '../support/tenant-probes.ts'

const scopes = ['read', 'write', 'admin'] as const
const nobodys = unknownNames()

const service = withService()
let mine: Names
let theirs: Names
const keys = {} as Record<Scope, string>
beforeAll(async () => {
  const other = freshTenant()
  theirs = await createOneOfEach(service.clientOf(other), other)
  const { memories } = await service.client.createMemories({
    memories: ['one', 'two'].map(content => ({ content, policy: 'short_term', ttl_seconds: 0 })),
  })
  const [memory, second] = memories.map(({ id }) => id) as [string, string]
  mine = { ...nobodys, tenant: service.tenant, memory, other: second }
  for (const scope of scopes) keys[scope] = (await service.client.createKey({ scopes: [scope] })).key
})

const call = (method: string, params: Record<string, unknown> = {}, key = keys.admin) =>
  ask(service, method, params, { authorization: `Bearer ${key}` })

test.each(toolRoutes)(
  '%s answers the same for what is of another tenant and for what is nowhere',
  async name => {
    const foreign = probes[name](theirs, mine) as Probe<typeof name>[]
    const unknown = probes[name](nobodys, mine) as Probe<typeof name>[]
    // The second call must not find what the first one did.
    const quiet =
      { searchMemories: { record_recall: false }, createMemory: { on_duplicate: 'store' } }[name as string] ??
      {}
    for (const [at, { input }] of foreign.entries()) {
      const answer = await call('tools/call', { name: toolName(name), arguments: { ...input, ...quiet } })
      const other = { name: toolName(name), arguments: { ...unknown[at]?.input, ...quiet } }
      expect(anonymous(answer)).toBe(anonymous(await call('tools/call', other)))
      if (!JSON.stringify(input).includes(CANARY)) expect(JSON.stringify(answer)).not.toContain(CANARY)
    }
  },
)

test('no resource and no prompt shows what is of another tenant', async () => {
  for (const method of ['resources/list', 'resources/templates/list', 'prompts/list', 'tools/list'])
    expectNothing(await call(method))
  for (const uri of ['memory://recent', 'memory://graph-model'])
    expectNothing(await call('resources/read', { uri }))
  for (const field of ['memory', 'other', 'connected'] as const) {
    const answer = await call('resources/read', { uri: `memory://${theirs[field]}` })
    const reference = await call('resources/read', { uri: `memory://${nobodys[field]}` })
    expect(answer).toMatchObject({ error: { code: -32602 } })
    expect(anonymous(answer)).toBe(anonymous(reference))
  }
  for (const name of promptNames) {
    const args = Object.fromEntries(prompts[name].arguments.map(argument => [argument.name, 'cat']))
    expectNothing(await call('prompts/get', { name, arguments: args }))
  }
})

test('a key that names another tenant is refused before any call', async () => {
  const headers = { authorization: `Bearer ${keys.read}`, 'x-tenant-id': theirs.tenant }
  const response = await post(service, 'tools/list', {}, headers)
  await expectProblem(response, 'forbidden')
})

test.each(scopes)('a key with the scope %s is offered what it may do, and refused the rest', async scope => {
  const grants = { read: ['read'], write: ['read', 'write'], admin: ['read', 'write', 'admin'] }[scope]
  const { result } = await call('tools/list', {}, keys[scope])
  const offered = namesIn(result?.tools)
  expect(offered).toEqual(toolRoutes.filter(name => grants.includes(routes[name].scope)).map(toolName))
  for (const name of toolRoutes) {
    const [probe] = probes[name](nobodys, nobodys) as [Probe<typeof name>]
    const answer = await call('tools/call', { name: toolName(name), arguments: probe.input }, keys[scope])
    const { [PROBLEM]: problem } = (answer.result?._meta ?? {}) as Record<string, { code: string }>
    const code = problem?.code
    expect(code === 'forbidden', name).toBe(!offered.includes(toolName(name)))
  }
  const listed = namesIn((await call('prompts/list', {}, keys[scope])).result?.prompts)
  expect(listed).toEqual(promptNames.filter(name => grants.includes(prompts[name].scope)))
  for (const name of promptNames) {
    const answer = await call('prompts/get', { name, arguments: { task: 'cat' } }, keys[scope])
    expect('error' in answer, name).toBe(!listed.includes(name))
  }
  for (const uri of ['memory://recent', 'memory://graph-model', `memory://${mine.memory}`])
    expect(await call('resources/read', { uri }, keys[scope])).toHaveProperty('result.contents')
})

test('after all of that the other tenant has what it had', async () => {
  const client = service.clientOf(theirs.tenant)
  const { memories } = await client.listMemories({ include_archived: true, tags: [CANARY] })
  expect(memories.map(({ version, recall_count }) => [version, recall_count]).toSorted()).toEqual([
    [1, 0],
    [1, 0],
    [2, 0],
  ])
  expect((await client.listConnections({})).total).toBe(1)
})

const namesIn = (list: unknown) => (list as { name: string }[]).map(({ name }) => name)

function expectNothing(answer: unknown) {
  const text = JSON.stringify(answer)
  for (const name of [CANARY, theirs.memory, theirs.other, theirs.connected, theirs.policy, theirs.tenant])
    expect(text).not.toContain(name)
}

/** Without what differs between any two requests, and with the names that were sent made alike. */
function anonymous(answer: unknown): string {
  return [theirs, nobodys]
    .flatMap(names => Object.entries(names))
    .reduce((text, [field, value]) => text.replaceAll(value, `<${field}>`), JSON.stringify(answer))
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/"oldest_age_seconds":[\d.]+/g, '<age>')
}
