import { beforeAll, expect, test } from 'vitest'
import { type RouteName, routeNames, routes } from '../../src/contract/index.ts'
import { send } from '../support/send.ts'
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
  const { memories } = await client.listMemories({ include_archived: true, tags: [CANARY] })
  expect(
    memories.map(({ content, version, recall_count }) => [content, version, recall_count]).toSorted(),
  ).toEqual([
    [`${CANARY} cat`, 1, 0],
    [`${CANARY} cat`, 1, 0],
    [`${CANARY} cat`, 2, 0],
  ])
  expect(await client.listConnections({})).toMatchObject({
    total: 1,
    connections: [{ source_id: theirs.memory, connection: { target_id: theirs.connected, strength: null } }],
  })
  expect((await client.listKeys()).keys.map(({ id }) => id)).toEqual([theirs.key])
  expect((await client.listPolicies()).policies.find(({ name }) => name === theirs.policy)).toMatchObject({
    health_decay: 7,
  })
  expect((await client.listWebhooks()).webhooks).toMatchObject([{ id: theirs.webhook, waiting: 0 }])
  expect((await client.getMaintenanceRun({ id: theirs.plan })).state).toBe('planned')
  expect((await client.getMaintenanceRun({ id: theirs.run })).state).toBe('applied')
})

/** By my key, with the head as anonymous as the text is to be. */
async function sendAs(name: RouteName, probe: Probe<RouteName>) {
  const { text, head } = await send(service.baseUrl, { apiKey: myKey }, name, probe)
  const values = Object.entries(head).map(([each, value]) => [
    each,
    typeof value === 'string' ? anonymous(value) : value,
  ])
  return { text, head: Object.fromEntries(values) as typeof head }
}

/** Without what differs between any two requests, and with the names that were sent made alike. */
function anonymous(text: string): string {
  const named = [theirs, nobodys].reduce(
    (rest, names) =>
      Object.entries(names).reduce((all, [field, value]) => all.replaceAll(value, `<${field}>`), rest),
    text,
  )
  return named
    .replaceAll(/"(request_id|instance)":"[^"]*"/g, '"$1":""')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/mnk_[0-9a-f]+_[A-Za-z0-9_-]+/g, '<secret>')
    .replaceAll(/whsec_[A-Za-z0-9+/]+=/g, '<secret>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/"(uptime_seconds|oldest_age_seconds|ready|missing)":[\d.]+/g, '"$1":0')
    .replaceAll(/has waited for \d+ s/g, 'has waited')
}
