import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { TestService } from './service.ts'

/** A statement that takes a lock, and its parameters. */
export type Locking = readonly [text: string, parameters: Record<string, unknown>]

export const memoryOf = (tenant: string, id: string): Locking => [
  'MATCH (m:Memory {tenant: $tenant, id: $id}) SET m.lock = true RETURN m.id',
  { tenant, id },
]

/** The lock of all nodes of a label in a tenant. */
export const nodesOf = (label: string, tenant: string): Locking => [
  `MATCH (n:${label} {tenant: $tenant}) SET n.lock = true RETURN count(n)`,
  { tenant },
]

/**
 * Whether what a request must lock later can be locked by another transaction while the request waits for what it must
 * lock first.
 */
export async function isFreeWhileWaiting(
  { app }: TestService,
  { first, later }: { first: Locking; later: Locking },
  request: () => Promise<unknown>,
): Promise<boolean> {
  const { driver, database } = app.neo4j
  const rowsOf = async (text: string, parameters: object = {}) =>
    (await driver.executeQuery(text, parameters, { database })).records.map(record => record.toObject())
  const begin = () => {
    const mark = randomUUID()
    const session = driver.session({ database })
    return { mark, session, transaction: session.beginTransaction({ metadata: { mark } }) }
  }
  const statusOf = async (mark: string) =>
    (
      await rowsOf(
        'SHOW TRANSACTIONS YIELD transactionId, status, metaData WHERE metaData.mark = $mark RETURN transactionId, status',
        { mark },
      )
    )[0] ?? { transactionId: '', status: '' }
  const [holder, prober] = [begin(), begin()]
  let answer: Promise<unknown> | undefined
  try {
    await (await holder.transaction).run(...first)
    const { transactionId } = await statusOf(holder.mark)
    answer = request().catch(error => error)
    const waiting = async () =>
      (await rowsOf('SHOW TRANSACTIONS YIELD status')).filter(({ status }) =>
        new RegExp(`^Blocked.*\\b${transactionId}\\b`).test(status),
      ).length
    await expect.poll(waiting, { timeout: 60_000, interval: 20 }).toBe(1)
    let isFree = false
    const probe = (async () => {
      const { records } = await (await prober.transaction).run(...later)
      expect(records).not.toEqual([])
      isFree = true
    })()
    probe.catch(() => {})
    const isKnown = async () => isFree || (await statusOf(prober.mark)).status.startsWith('Blocked')
    await expect.poll(isKnown, { interval: 20 }).toBe(true)
    if (isFree) await probe
    return isFree
  } finally {
    await holder.session.close()
    await prober.session.close()
    await answer
  }
}
