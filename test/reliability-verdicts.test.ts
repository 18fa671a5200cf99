import { Neo4jError } from 'neo4j-driver'
import { expect, test } from 'vitest'
import { judge } from '../src/store/failures.ts'

const failure = (code: string, message = 'as the database says it') =>
  new Neo4jError(message, code, '50N00', 'error: general processing exception')

test.for([
  ['Neo.TransientError.Transaction.DeadlockDetected', 'contended'],
  ['Neo.ClientError.Schema.ConstraintValidationFailed', 'contended'],
  ['Neo.ClientError.Statement.EntityNotFound', 'contended'],
  ['ServiceUnavailable', 'lost'],
  ['SessionExpired', 'lost'],
  ['Neo.TransientError.General.MemoryPoolOutOfMemoryError', 'unavailable'],
  ['Neo.TransientError.Transaction.LockAcquisitionTimeout', 'unavailable'],
  ['Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration', 'unavailable'],
  ['Neo.DatabaseError.Transaction.TransactionStartFailed', 'unavailable'],
  ['Neo.DatabaseError.Transaction.TransactionCommitFailed', 'unavailable'],
  ['Neo.TransientError.General.DatabaseUnavailable', 'unavailable'],
  ['Neo.ClientError.Security.Unauthorized', 'unavailable'],
  ['Neo.ClientError.Statement.SyntaxError', 'fault'],
  ['Neo.ClientError.Statement.TypeError', 'fault'],
] as const)('%s counts as %s', ([code, verdict]) => {
  expect(judge(failure(code))).toBe(verdict)
})

test('a pool without a free connection is no lost connection, and is not asked again', () => {
  expect(judge(failure('N/A', 'Connection acquisition timed out in 5000 ms.'))).toBe('unavailable')
})

test('what is no failure of the database is a fault of ours', () => {
  expect(judge(new TypeError('undefined is not a function'))).toBe('fault')
})
