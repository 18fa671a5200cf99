import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import { v7 as mintId } from 'uuid'
import type { Context } from '../../context.ts'
import type { Connection } from '../../contract/connections.ts'
import type { Memory } from '../../contract/memory.ts'
import { invalidHeader, ServiceError } from '../../contract/problems.ts'
import { claimRequest, keepAnswer, releaseRequest } from '../../store/access/idempotency.ts'
import { tenantsOf } from './private.ts'

const KEY = /^[\x21-\x7e]{1,255}$/
const SETTLE_MS = 5_000

type KeyedRequest = {
  key: string
  operation: string
  /** A request with the same key and another input is refused. */
  input: object
}

/**
 * Runs a request that carries an Idempotency-Key once. A repeat returns the same result for 24 hours. The ids are minted
 * together with the claim, so that a repeat after a crash creates the same things.
 * @throws ServiceError `idempotency_key_reused`, `idempotency_in_progress`, `idempotency_answer_gone`, and what `run` throws
 */
export async function runOnce<Result>(
  ctx: Context,
  request: KeyedRequest,
  run: (ctx: Context) => Promise<Result>,
): Promise<Result> {
  const key = `${request.operation}:${request.key}`
  const secret = secretOf(ctx, request)
  const claimed = await claimRequest(ctx, {
    key,
    bodyHash: hash('sha256', JSON.stringify(request.input), 'base64url'),
    mintedIds: idsOf(seedIn(request.key) ?? mintId(), request.input),
  })
  if (claimed.outcome !== 'run') return repeat(claimed.outcome, claimed.answer, secret)
  try {
    const result = await run({ ...ctx, mintedIds: claimed.mintedIds })
    // The result exists: storing it does not wait for a permit of the tenant.
    await keepAnswer({ ...ctx, share: undefined }, key, {
      claim: claimed.claim,
      answer: encrypt(JSON.stringify(result), secret),
      memoryIds: memoriesIn(result as Answer),
      tenants: tenantsOf(ctx),
    })
    return result
  } catch (error) {
    const refused = error instanceof ServiceError && error.retryAfterSeconds === undefined
    const settling = { ...ctx, share: undefined, signal: AbortSignal.timeout(SETTLE_MS) }
    await releaseRequest(settling, key, { claim: claimed.claim, refused }).catch(() => {})
    throw mayBeDone(error, request.key)
  }
}

/**
 * Runs a request without a key. If nobody knows whether it was done, the error names a key: its ids follow from the key, so that
 * a repeat with it creates nothing twice.
 */
export async function runUnkeyed<Result>(
  ctx: Context,
  input: object,
  run: (ctx: Context) => Promise<Result>,
): Promise<Result> {
  const seed = mintId()
  return run({ ...ctx, mintedIds: idsOf(seed, input) }).catch(error => {
    throw mayBeDone(error, OF_SERVICE + seed)
  })
}

const OF_SERVICE = 'repeat-'

const seedIn = (key: string) => new RegExp(`^${OF_SERVICE}([0-9a-f-]{36})$`).exec(key)?.[1]

/** In the order of what is created. */
function idsOf(seed: string, input: object): string[] {
  const count = countOf(input)
  if (count === 1) return [seed]
  const msecs = Number.parseInt(seed.replaceAll('-', '').slice(0, 12), 16)
  return Array.from({ length: count }, (_, seq) =>
    mintId({ msecs, seq, random: hash('sha256', `${seed} ${seq}`, 'buffer').subarray(0, 16) }),
  )
}

const mayBeDone = (error: unknown, key: string) =>
  error instanceof ServiceError && error.code === 'database_unavailable'
    ? new ServiceError(error.code, `${reasonOf(error)} ${MAY_BE_DONE} ${key}`, {
        cause: error.cause,
        retryAfterSeconds: error.retryAfterSeconds,
        idempotencyKey: key,
      })
    : error

const reasonOf = ({ message }: Error) => message.replace(REPEATABLE, '').trim()
const REPEATABLE = 'The request may be repeated.'
const MAY_BE_DONE =
  'What you sent may have been stored. To store it once, repeat the request with the Idempotency-Key'

/** How many things a request creates, each with an id that is minted beforehand. */
function countOf(input: { memories?: unknown[]; turns?: unknown[] }): number {
  return (input.memories ?? input.turns)?.length ?? 1
}

type Answer = Partial<Memory & Connection> & {
  memories?: Pick<Memory, 'id'>[]
  turns?: Pick<Memory, 'id'>[]
  connections?: Connection[]
}

/** The memories that a response tells of: their contents, or why they are connected. */
function memoriesIn({ content, id, source_id, connection, ...answer }: Answer): string[] {
  const { memories = [], turns = [], connections = [] } = answer
  return [
    ...(content === undefined ? [] : [String(id)]),
    ...[...memories, ...turns].map(each => each.id),
    ...[...(connection ? [{ source_id: String(source_id), connection }] : []), ...connections].flatMap(
      each => [each.source_id, each.connection.target_id],
    ),
  ]
}

/** @throws ServiceError `validation_failed` */
export function checkIdempotencyKey(key: string) {
  if (KEY.test(key)) return
  throw invalidHeader('Idempotency-Key', 'must be 1 to 255 visible ASCII characters')
}

function repeat<Result>(
  outcome: 'running' | 'answered' | 'gone' | 'reused',
  answer: string | null,
  secret: Buffer,
): Result {
  switch (outcome) {
    case 'answered':
      return JSON.parse(decrypt(answer ?? '', secret)) as Result
    case 'running':
      throw new ServiceError(
        'idempotency_in_progress',
        'The first request with this Idempotency-Key is still running.',
        {
          retryAfterSeconds: 1,
        },
      )
    case 'gone':
      throw new ServiceError(
        'idempotency_answer_gone',
        'The memories that this Idempotency-Key created have been removed.',
      )
    case 'reused':
      throw new ServiceError('idempotency_key_reused', 'This Idempotency-Key was used with another body.')
  }
}

/** A response can hold the secret of a new key, so it is stored encrypted with the credential of its request. */
const secretOf = ({ credential = '' }: Context, { key }: KeyedRequest) =>
  Buffer.from(hkdfSync('sha256', credential, key, 'mnemograph stored answer', 32))

function encrypt(text: string, secret: Buffer): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secret, nonce)
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64')
}

/** @throws ServiceError `idempotency_key_reused` for another credential */
function decrypt(text: string, secret: Buffer): string {
  const bytes = Buffer.from(text, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12)).setAuthTag(
    bytes.subarray(12, 28),
  )
  try {
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new ServiceError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another credential.',
      { cause },
    )
  }
}
