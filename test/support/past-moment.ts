import { expect } from 'vitest'
import type { TestService } from './service.ts'

/** The time by the database's clock, with all that was written before and nothing of what comes after. */
export async function pastMoment(service: TestService): Promise<string> {
  const now = async () =>
    (await service.cypher<{ at: number }>("RETURN datetime.realtime('Z').epochMillis AS at"))[0]?.at as number
  const at = await now()
  await expect.poll(now, { interval: 2 }).toBeGreaterThan(at)
  return new Date(at).toISOString()
}
