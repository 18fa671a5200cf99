import { expect } from 'vitest'
import type { Client } from '../../src/client.ts'
import type { RouteName } from '../../src/contract/index.ts'
import { send } from './send.ts'
import { CANARY, type Names, type Probe } from './tenant-probes.ts'

/** The answer to a probe, with the values of its head as `anonymous` makes texts. */
export async function answerToProbe(
  baseUrl: string,
  apiKey: string,
  name: RouteName,
  probe: Probe<RouteName>,
  anonymous: (text: string) => string,
) {
  const { text, head } = await send(baseUrl, { apiKey }, name, probe)
  const values = Object.entries(head).map(([each, value]) => [
    each,
    typeof value === 'string' ? anonymous(value) : value,
  ])
  return { text, head: Object.fromEntries(values) as typeof head }
}

/** Without what differs between any two requests, and with the names that were sent made alike. */
export function withoutNames(text: string, sent: readonly Names[]): string {
  return sent
    .flatMap(names => Object.entries(names))
    .reduce((all, [field, value]) => all.replaceAll(value, `<${field}>`), text)
    .replaceAll(/"(request_id|instance)":"[^"]*"/g, '"$1":""')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/mnk_[0-9a-f]+_[A-Za-z0-9_-]+/g, '<secret>')
    .replaceAll(/whsec_[A-Za-z0-9+/]+=/g, '<secret>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/"(uptime_seconds|oldest_age_seconds|ready|missing)":[\d.]+/g, '"$1":0')
    .replaceAll(/has waited for \d+ s/g, 'has waited')
}

/** Asserts that a tenant still has, unchanged, all that `createOneOfEach` made in it. `tags` chooses its memories. */
export async function expectUntouched(client: Client, theirs: Names, tags: string[] = []) {
  const { memories } = await client.listMemories({ include_archived: true, tags })
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
  expect((await client.listWebhooks()).webhooks).toMatchObject([{ id: theirs.webhook, waiting: 0 }])
  expect((await client.getMaintenanceRun({ id: theirs.plan })).state).toBe('planned')
  expect((await client.getMaintenanceRun({ id: theirs.run })).state).toBe('applied')
}
