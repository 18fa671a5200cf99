import { expect, test } from 'vitest'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

const was = {
  'a memory without a limit': { policy: 'short_term', ttl_seconds: 0 },
  'a memory with a limit': { policy: 'short_term', ttl_seconds: 60 },
  'a pinned memory': { policy: 'pinned', ttl_seconds: 0 },
}
const policies = [undefined, 'pinned', 'long_term']
const limits = [undefined, 0, 60]

const changes = Object.entries(was).flatMap(([name, before]) =>
  policies.flatMap(policy =>
    limits
      .filter(ttl_seconds => policy !== undefined || ttl_seconds !== undefined)
      .map(ttl_seconds => [name, { policy, ttl_seconds }, before] as const),
  ),
)

test.each(changes)('%s, changed by %j, is never both pinned and limited', async (_, change, before) => {
  const { id } = await service.client.createMemory(someMemory(before))
  const result = {
    policy: change.policy ?? before.policy,
    ttl_seconds: change.ttl_seconds ?? before.ttl_seconds,
  }
  const update = service.client.updateMemory({ id, ...change })
  if (result.policy === 'pinned' && result.ttl_seconds > 0)
    expect(await problemOf(update)).toMatchObject({ status: 422, pointers: ['/ttl_seconds'] })
  else expect(await update).toMatchObject(result)
})
