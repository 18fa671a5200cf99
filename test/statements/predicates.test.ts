import { expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { reserveTokens } from '../../src/store/chat-model/budget.ts'
import { isBlocked } from '../support/blocked.ts'
import { contextOf } from '../support/lifecycle.ts'
import { rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, type TestService, withService } from '../support/service.ts'
import { holdBack } from '../support/statements.ts'

/** Two services on one database: what one of them decides must still hold when the other one has decided. */
const service = withService()
const other = withService()

type Client = TestService['client']

/** The first request waits before its statement with this fragment, behind its locks, until the second one waits for them. */
type Race = {
  readonly tenant: string
  readonly heldAt: string
  readonly first: () => Promise<unknown>
  readonly second: () => Promise<unknown>
}

const CREATES = 'CREATE (m:Memory {'
const CHANGES = 'SET m += row.set'
const AUDITS = 'MERGE (l:AuditLog'

/** A new tenant as both services see it. */
function tenantOfBoth() {
  const tenant = freshTenant()
  return { tenant, mine: service.clientOf(tenant), theirs: other.clientOf(tenant) }
}

async function stored(client: Client, ...contents: string[]) {
  return (await rememberIds(client, contents)) as [string, ...string[]]
}

async function opposed() {
  const both = tenantOfBoth()
  const [one, two] = (await stored(both.mine, 'Lives in Rome', 'Lives in Porto')) as [string, string]
  await both.mine.createConnection({ source_id: one, target_id: two, relationship_type: 'contradicts' })
  return { ...both, one, two }
}

/** Each service knows at once what was set through it. */
async function limit(quota: Input<'putQuota'>) {
  for (const { client } of [service, other]) await client.putQuota(quota)
}

const races: Record<string, () => Promise<Race & { outcome: unknown }>> = {
  'no other memory says the same': async () => {
    const { tenant, mine, theirs } = tenantOfBoth()
    const memory = someMemory({ content: 'The cat sleeps', on_duplicate: 'return' })
    return {
      ...{ tenant, heldAt: CREATES },
      first: () => theirs.createMemory(memory),
      second: () => mine.createMemory(memory),
      outcome: { duplicate_of: expect.any(String) },
    }
  },
  'no memory has the policy': async () => {
    const { tenant, mine, theirs } = tenantOfBoth()
    await mine.putPolicy({ name: 'own', health_decay: 1 })
    return {
      ...{ tenant, heldAt: CREATES },
      first: () => theirs.createMemory(someMemory({ policy: 'own' })),
      second: () => problemOf(mine.deletePolicy({ name: 'own' })),
      outcome: { code: 'policy_in_use' },
    }
  },
  'the policy is there': async () => {
    const { tenant, mine, theirs } = tenantOfBoth()
    await mine.putPolicy({ name: 'own', health_decay: 1 })
    return {
      ...{ tenant, heldAt: AUDITS },
      first: () => theirs.deletePolicy({ name: 'own' }),
      second: () => problemOf(mine.createMemory(someMemory({ policy: 'own' }))),
      outcome: { code: 'validation_failed' },
    }
  },
  'an update finds its policy there': async () => {
    const { tenant, mine, theirs } = tenantOfBoth()
    const [id] = await stored(mine, 'The cat sleeps')
    await mine.putPolicy({ name: 'own', health_decay: 1 })
    return {
      ...{ tenant, heldAt: AUDITS },
      first: () => theirs.deletePolicy({ name: 'own' }),
      second: () => problemOf(mine.updateMemory({ id, policy: 'own' })),
      outcome: { code: 'validation_failed' },
    }
  },
  'the tenant has less than its quota': async () => {
    const { tenant, mine, theirs } = tenantOfBoth()
    await limit({ tenant, memories: 1, characters: null })
    return {
      ...{ tenant, heldAt: CREATES },
      first: () => theirs.createMemory(someMemory()),
      second: () => problemOf(mine.createMemory(someMemory({ content: 'One too many' }))),
      outcome: { code: 'quota_exceeded' },
    }
  },
  'a longer text is within the quota': async () => {
    const { tenant, mine, theirs } = tenantOfBoth()
    const [one, two] = (await stored(mine, 'short', 'brief')) as [string, string]
    await limit({ tenant, memories: null, characters: 20 })
    return {
      ...{ tenant, heldAt: CHANGES },
      first: () => theirs.updateMemory({ id: one, content: 'twelve signs' }),
      second: () => problemOf(mine.updateMemory({ id: two, content: 'twelve signs' })),
      outcome: { code: 'quota_exceeded' },
    }
  },
  'the tenant has fewer than 20 webhooks': async () => {
    const { tenant, mine, theirs } = tenantOfBoth()
    const url = 'https://hooks.invalid/'
    await Promise.all(Array.from({ length: 19 }, () => mine.createWebhook({ url })))
    return {
      ...{ tenant, heldAt: AUDITS },
      first: () => theirs.createWebhook({ url }),
      second: () => problemOf(mine.createWebhook({ url })),
      outcome: { code: 'too_many_webhooks' },
    }
  },
  'the plan is open': async () => {
    const { tenant, mine, theirs } = tenantOfBoth()
    await stored(mine, 'Forget this')
    const filters = { min_importance: 0 }
    const id = (await mine.planMaintenance({ kind: 'forget', filters })).plan_id as string
    return {
      ...{ tenant, heldAt: CHANGES },
      first: () => theirs.applyMaintenance({ id }),
      second: () => problemOf(mine.applyMaintenance({ id })),
      outcome: { code: 'plan_not_open' },
    }
  },
  'both sides of a conflict are active': async () => {
    const { tenant, mine, theirs, one, two } = await opposed()
    return {
      ...{ tenant, heldAt: CHANGES },
      first: () => theirs.resolveConflict({ keep_id: one, archive_id: two }),
      second: () => problemOf(mine.resolveConflict({ keep_id: two, archive_id: one })),
      outcome: { code: 'memory_archived' },
    }
  },
  'both ends of a connection are active': async () => {
    const { tenant, mine, theirs, one, two } = await opposed()
    return {
      ...{ tenant, heldAt: CHANGES },
      first: () => theirs.deleteMemory({ id: one }),
      second: () => problemOf(mine.createConnection({ source_id: one, target_id: two })),
      outcome: { code: 'memory_archived' },
    }
  },
  'a memory that is superseded is active': async () => {
    const { tenant, mine, theirs } = tenantOfBoth()
    const [old] = await stored(mine, 'Lives in Rome')
    const memory = someMemory({ content: 'Lives in Porto', supersedes: [old] })
    return {
      ...{ tenant, heldAt: CHANGES },
      first: () => theirs.createMemory(memory),
      second: () => problemOf(mine.createMemory(memory)),
      outcome: { code: 'memory_archived' },
    }
  },
  'the memory has the version that the request names': async () => {
    const { tenant, mine, theirs } = tenantOfBoth()
    const [id] = await stored(mine, 'The cat sleeps')
    const ifFirst = { headers: { 'if-match': '"1"' } }
    return {
      ...{ tenant, heldAt: CHANGES },
      first: () => theirs.updateMemory({ id, tags: ['theirs'] }, ifFirst),
      second: () => problemOf(mine.updateMemory({ id, tags: ['mine'] }, ifFirst)),
      outcome: { code: 'version_mismatch' },
    }
  },
}

test.each(Object.entries(races))('%s, also when another process decides about it', async (_, prepare) => {
  const { tenant, heldAt, first, second, outcome } = await prepare()
  const { held, release } = holdBack(other, heldAt)
  const before = first()
  before.catch(() => {})
  await expect.poll(() => held.length, { timeout: 60_000 }).toBeGreaterThan(0)
  const after = second()
  after.catch(() => {})
  await expect.poll(() => isBlocked(service, tenant), { timeout: 60_000, interval: 20 }).toBe(true)
  release()
  await before
  expect(await after).toMatchObject(outcome as object)
})

test('the tokens of a day are left, also when another process takes some', async () => {
  const tenant = freshTenant()
  const ctx = contextOf(service, tenant)
  expect(await reserveTokens(ctx, 50, 100)).toBeNull()
  const { driver, database } = service.app.neo4j
  await using session = driver.session({ database })
  const taking = await session.beginTransaction()
  await taking.run('MATCH (u:ModelUse {tenant: $tenant}) SET u.tokens = u.tokens + 40', { tenant })
  const after = reserveTokens(ctx, 20, 100)
  await expect.poll(() => isBlocked(service, tenant), { interval: 20 }).toBe(true)
  await taking.commit()
  expect(await after).toBeGreaterThan(0)
})
