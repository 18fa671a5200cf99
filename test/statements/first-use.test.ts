import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { read, transact } from '../../src/store/neo4j/statements.ts'
import { withService } from '../support/service.ts'
import { holdBack } from '../support/statements.ts'

const service = withService()

const CALLERS = 16

/** A statement that the database has no plan of, and that fails with a zero. */
const newStatement = () => `RETURN 1 / toInteger($n) AS \`${randomUUID()}\``

const caller = (signal = AbortSignal.timeout(60_000)) => ({
  app: service.app,
  share: service.tenant,
  signal,
})

const query = (text: string, n = 1, signal?: AbortSignal) => read(caller(signal), text, { n })
const alone = (text: string, n = 1, signal?: AbortSignal) =>
  transact(caller(signal), ({ run }) => run(text, { n }))

const together = (call: (at: number) => Promise<unknown>) =>
  Promise.allSettled(Array.from({ length: CALLERS }, (_, at) => call(at)))

/** A statement that was asked for later has been answered. */
const othersHadTheirTurn = () => query(newStatement())

const ways = [
  ['queries', query],
  ['transactions', alone],
] as const

test.each(ways)('of %s whose first one fails, the others are answered', async (_, run) => {
  const text = newStatement()
  const answers = await together(at => run(text, at === 0 ? 0 : 1))
  expect(answers.map(({ status }) => status)).toEqual(['rejected', ...Array(CALLERS - 1).fill('fulfilled')])
})

test('when the first caller has gone, the next one goes first', async () => {
  const text = newStatement()
  const gone = new AbortController()
  const { held, release } = holdBack(service, text)
  const answers = together(at => query(text, 1, at === 0 ? gone.signal : undefined))
  await expect.poll(() => held.length).toBe(1)
  gone.abort()
  await expect.poll(() => held.length).toBe(2)
  await othersHadTheirTurn()
  expect(held).toHaveLength(2)
  release()
  expect((await answers).map(({ status }) => status)).toEqual([
    'rejected',
    ...Array(CALLERS - 1).fill('fulfilled'),
  ])
})
