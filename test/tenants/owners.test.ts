import { beforeAll, expect, test } from 'vitest'
import { type RouteName, routeNames, routes } from '../../src/contract/index.ts'
import { privateTenant } from '../../src/contract/private.ts'
import { ask } from '../support/mcp.ts'
import { answerToProbe, expectUntouched, withoutNames } from '../support/probed-answers.ts'
import { rememberIds } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'
import {
  CANARY,
  createOneOfEach,
  type Names,
  type Probe,
  probes,
  unknownNames,
} from '../support/tenant-probes.ts'

/** Who asks in the tenant where ben has private memories, and two memories that are there for this caller. */
type Caller = { key: string; headers: Record<string, string>; mine: Names }

const service = withService()
let ben: string
let theirs: Names
/** The same for an administrator, whose policies are those of private memories too. */
let beyondPolicies: Names
let nobodys: Names
let callers: Readonly<Record<string, Caller>>
beforeAll(async () => {
  const { tenant, client } = service
  ben = privateTenant(tenant, 'ben')
  theirs = await createOneOfEach(service.clientOf(ben), ben, service.clientOf(freshTenant()))
  nobodys = unknownNames(undefined, privateTenant(tenant, 'nobody'))
  beyondPolicies = { ...theirs, policy: unknownNames().policy }
  const keyOf = async (input: Parameters<typeof client.createKey>[0]) => (await client.createKey(input)).key
  const anna = await keyOf({ owner: 'anna', scopes: ['write', 'delete'] })
  const shared = { ...nobodys, tenant, ...(await two(service.clientOf(tenant))) }
  const own = { ...nobodys, tenant, ...(await two(service.clientOf('', anna))) }
  const naming = (name: string) => ({ 'x-tenant-id': name })
  callers = {
    'an owner': { key: anna, headers: {}, mine: own },
    'an owner in the shared memories': { key: anna, headers: naming(tenant), mine: shared },
    'an owner in her private ones': {
      key: anna,
      headers: naming(privateTenant(tenant, 'anna')),
      mine: own,
    },
    'a member': { key: await keyOf({ scopes: ['write', 'delete'] }), headers: {}, mine: shared },
    'an administrator': { key: await keyOf({ scopes: ['admin'] }), headers: {}, mine: shared },
  }
})

async function two(client: ReturnType<typeof service.clientOf>) {
  const [memory, other] = await rememberIds(client, ['one', 'two'])
  return { memory, other }
}

function probesOf(name: RouteName, caller: Caller) {
  const others = caller === callers['an administrator'] ? beyondPolicies : theirs
  const unknown = probes[name](nobodys, caller.mine) as Probe<RouteName>[]
  return (probes[name](others, caller.mine) as Probe<RouteName>[]).map((foreign, at) => ({
    foreign,
    unknown: unknown[at] as Probe<RouteName>,
  }))
}

test.each(routeNames)(
  '%s answers the same for what is private to another owner and for what is nowhere',
  async name => {
    for (const [who, caller] of Object.entries(callers))
      for (const { foreign, unknown } of probesOf(name, caller)) {
        const [answer, reference] = [await sendAs(caller, name, foreign), await sendAs(caller, name, unknown)]
        expect(anonymous(answer.text), who).toBe(anonymous(reference.text))
        expect(answer.head, who).toEqual(reference.head)
        if (!JSON.stringify(foreign.input).includes(CANARY)) expect(answer.text, who).not.toContain(CANARY)
        expect(answer.head.status).toBeLessThan(500)
      }
  },
)

const guarded = routeNames.filter(name => routes[name].scope !== 'open')

test.each(guarded)('%s is refused to all who name the private memories of another one', async name => {
  for (const who of ['an owner', 'a member']) {
    const caller = callers[who] as Caller
    const [first] = probesOf(name, caller)
    const naming = (of: string) => ({ ...caller, headers: { 'x-tenant-id': of } })
    const answer = await sendAs(naming(ben), name, first?.foreign as Probe<RouteName>)
    expect(answer.head.status, who).toBe(403)
    const reference = await sendAs(naming(nobodys.tenant), name, first?.foreign as Probe<RouteName>)
    expect(anonymous(answer.text)).toBe(anonymous(reference.text))
  }
})

const call = (caller: Caller, method: string, params: Record<string, unknown> = {}) =>
  ask(service, method, params, { authorization: `Bearer ${caller.key}`, ...caller.headers })

test('no resource of MCP shows what is private to another owner', async () => {
  for (const caller of Object.values(callers)) {
    const answers = [
      await call(caller, 'resources/list'),
      ...(await Promise.all(
        ['recent', 'context', 'communities', 'graph-model'].map(uri =>
          call(caller, 'resources/read', { uri: `memory://${uri}` }),
        ),
      )),
    ]
    for (const answer of answers) {
      expect(answer).toHaveProperty('result')
      for (const name of [CANARY, theirs.memory, theirs.other, theirs.connected])
        expect(JSON.stringify(answer)).not.toContain(name)
    }
    const [answer, reference] = [
      await call(caller, 'resources/read', { uri: `memory://${theirs.memory}` }),
      await call(caller, 'resources/read', { uri: `memory://${nobodys.memory}` }),
    ]
    expect(answer).toMatchObject({ error: { code: -32602 } })
    expect(anonymous(JSON.stringify(answer))).toBe(anonymous(JSON.stringify(reference)))
  }
})

test('after all of that the other owner has what he had', () =>
  expectUntouched(service.clientOf(ben), theirs))

test('an administrator of the tenant can act for an owner who has left', async () => {
  const { key } = callers['an administrator'] as Caller
  const admin = service.clientOf(ben, key)
  const { memories } = await admin.listMemories({ include_archived: true })
  expect(memories).toHaveLength(3)
  expect(new Set(memories.map(({ owner }) => owner))).toEqual(new Set(['ben']))
  const { plan_id } = await admin.planMaintenance({ kind: 'forget', filters: { tags: [CANARY] } })
  expect(await admin.applyMaintenance({ id: plan_id as string })).toMatchObject({ applied: 2 })
})

const sendAs = ({ key, headers }: Caller, name: RouteName, probe: Probe<RouteName>) =>
  answerToProbe(
    service.baseUrl,
    key,
    name,
    { ...probe, headers: { ...probe.headers, ...headers } },
    anonymous,
  )

const anonymous = (text: string) => withoutNames(text, [theirs, beyondPolicies, nobodys])
