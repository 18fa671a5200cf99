import { Neo4jError } from 'neo4j-driver'
import { expect, test } from 'vitest'
import { classify, failedForAll, toDatabaseUnavailable } from '../../src/store/neo4j/failures.ts'

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
] as const)('%s counts as %s', ([code, kind]) => {
  expect(classify(failure(code))).toBe(kind)
})

test('a pool without a free connection is no lost connection, and is not asked again', () => {
  expect(classify(failure('N/A', 'Connection acquisition timed out in 5000 ms.'))).toBe('unavailable')
})

test.for([
  ['a lost connection', failure('ServiceUnavailable'), true],
  ['a pool without a free connection', failure('N/A', 'Connection acquisition timed out in 5000 ms.'), true],
  ['a database that is stopped', failure('Neo.TransientError.General.DatabaseUnavailable'), true],
  ['a user who is not let in', failure('Neo.ClientError.Security.Unauthorized'), true],
  ['a caller whose time is over', new DOMException('The time is over.', 'TimeoutError'), true],
  ['a key that is taken', failure('Neo.ClientError.Schema.ConstraintValidationFailed'), false],
  ['too much for its memory', failure('Neo.TransientError.General.MemoryPoolOutOfMemoryError'), false],
  ['a statement that takes too long', failure('Neo.ClientError.Transaction.TransactionTimedOut'), false],
] as const)('%s is distinguished from a failure of one statement alone', ([, cause, forAll]) => {
  expect(failedForAll(toDatabaseUnavailable(cause))).toBe(forAll)
})

test('what is no failure of the database is a fault of ours', () => {
  expect(classify(new TypeError('undefined is not a function'))).toBe('fault')
})
