import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import { v7 as mintId } from 'uuid'
import type { Context } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'
import { claimRequest, releaseRequest, settleRequest } from '../../store/access/idempotency.ts'

const KEY = /^[\x21-\x7e]{1,255}$/
const SETTLE_MS = 5_000

type Request = {
  key: string
  /** What is asked: the same key with another is refused. */
  operation: string
  input: unknown
  /** How many things the request makes. */
  count: number
  /** Only who presents it again reads the stored answer. */
  credential: string
}

/**
 * Does a request that carries an Idempotency-Key once: a repeat gets the same answer for 24 hours. Ids are minted
 * with the claim, so that a repeat after a crash makes the same things again and not others.
 * @throws ServiceError `idempotency_key_reused`, `idempotency_in_progress`, `idempotency_answer_gone`, and what `run` throws
 */
export async function once<Answer>(
  ctx: Context,
  request: Request,
  run: (ctx: Context) => Promise<Answer>,
  memoryIds: (answer: Answer) => readonly string[],
): Promise<Answer> {
  const key = `${request.operation}:${request.key}`
  const claimed = await claimRequest(ctx, {
    key,
    bodyHash: hash('sha256', JSON.stringify(request.input), 'base64url'),
    mintedIds: Array.from({ length: request.count }, () => mintId()),
  })
  if (claimed.verdict !== 'run') return repeat(claimed.verdict, claimed.answer, sealOf(request))
  try {
    const answer = await run({ ...ctx, mintedIds: claimed.mintedIds })
    // What is done is not to wait for a turn again.
    await settleRequest({ ...ctx, share: undefined }, key, {
      claim: claimed.claim,
      answer: seal(JSON.stringify(answer), sealOf(request)),
      memoryIds: memoryIds(answer),
    })
    return answer
  } catch (error) {
    const refused = error instanceof ServiceError && error.retryAfterSeconds === undefined
    const settling = { ...ctx, share: undefined, signal: AbortSignal.timeout(SETTLE_MS) }
    await releaseRequest(settling, key, { claim: claimed.claim, refused }).catch(() => {})
    throw error
  }
}

/** @throws ServiceError `validation_failed` */
export function checkIdempotencyKey(key: string) {
  if (KEY.test(key)) return
  const message = 'must be 1 to 255 visible ASCII characters'
  throw new ServiceError('validation_failed', `Idempotency-Key ${message}`, {
    faults: [{ pointer: '/headers/idempotency-key', code: 'invalid_format', message }],
  })
}

function repeat<Answer>(
  verdict: 'running' | 'answered' | 'gone' | 'reused',
  answer: string | null,
  secret: Buffer,
): Answer {
  switch (verdict) {
    case 'answered':
      return JSON.parse(unseal(answer ?? '', secret)) as Answer
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
        'What this Idempotency-Key created has been removed since.',
      )
    case 'reused':
      throw new ServiceError('idempotency_key_reused', 'This Idempotency-Key was used with another body.')
  }
}

/** Answers can hold the secret of a new key: they are stored so that only the same credential opens them. */
const sealOf = ({ credential, key }: Request) =>
  Buffer.from(hkdfSync('sha256', credential, key, 'mnemograph stored answer', 32))

function seal(text: string, secret: Buffer): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secret, nonce)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/** @throws ServiceError `idempotency_key_reused` when another credential asks */
function unseal(text: string, secret: Buffer): string {
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
