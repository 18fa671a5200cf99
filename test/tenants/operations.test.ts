import { beforeAll, expect, test } from 'vitest'
import { type RouteName, routeNames, routes } from '../../src/contract/index.ts'
import { answerToProbe, expectUntouched, withoutNames } from '../support/probed-answers.ts'
import { freshTenant, withService } from '../support/service.ts'
import {
  CANARY,
  createOneOfEach,
  type Names,
  type Probe,
  probes,
  unknownNames,
} from '../support/tenant-probes.ts'

const service = withService()
let mine: Names
let theirs: Names
let myKey: string
const nobodys = unknownNames()
beforeAll(async () => {
  const other = freshTenant()
  theirs = await createOneOfEach(service.clientOf(other), other)
  const memories = await service.client.createMemories({
    memories: ['one', 'two'].map(content => ({ content, policy: 'short_term', ttl_seconds: 0 })),
  })
  const [memory, second] = memories.memories.map(({ id }) => id) as [string, string]
  mine = { ...nobodys, tenant: service.tenant, memory, other: second }
  myKey = (await service.client.createKey({ scopes: ['admin'] })).key
})

/** An operation that takes no tenant has nothing to compare. */
const guarded = routeNames.filter(name => routes[name].scope !== 'open')

test('every operation has its row', () => {
  expect(Object.keys(probes).toSorted()).toEqual(routeNames.toSorted())
})

test.each(routeNames)(
  '%s answers the same for what is of another tenant and for what is nowhere',
  async name => {
    const foreign = probes[name](theirs, mine) as Probe<RouteName>[]
    const unknown = probes[name](nobodys, mine) as Probe<RouteName>[]
    for (const [at, probe] of foreign.entries()) {
      const answer = await sendAs(name, probe)
      const reference = await sendAs(name, unknown[at] as Probe<RouteName>)
      expect(anonymous(answer.text)).toBe(anonymous(reference.text))
      expect(answer.head).toEqual(reference.head)
      if (!JSON.stringify(probe.input).includes(CANARY)) expect(answer.text).not.toContain(CANARY)
      expect(answer.head.status).toBeLessThan(500)
    }
  },
)

test.each(guarded)('%s is refused to a key that names the other tenant', async name => {
  const [probe] = probes[name](theirs, mine) as [Probe<RouteName>]
  const headers = { ...probe.headers, 'x-tenant-id': theirs.tenant }
  const reference = { ...probe.headers, 'x-tenant-id': nobodys.tenant }
  const answer = await sendAs(name, { ...probe, headers })
  expect(answer.head.status).toBe(403)
  expect(anonymous(answer.text)).toBe(anonymous((await sendAs(name, { ...probe, headers: reference })).text))
})

test('after all of that the other tenant has what it had', async () => {
  const client = service.clientOf(theirs.tenant)
  await expectUntouched(client, theirs, [CANARY])
  expect((await client.listKeys()).keys.map(({ id }) => id)).toEqual([theirs.key])
  expect((await client.listPolicies()).policies.find(({ name }) => name === theirs.policy)).toMatchObject({
    health_decay: 7,
  })
})

/** By my key. */
const sendAs = (name: RouteName, probe: Probe<RouteName>) =>
  answerToProbe(service.baseUrl, myKey, name, probe, anonymous)

const anonymous = (text: string) => withoutNames(text, [theirs, nobodys])
