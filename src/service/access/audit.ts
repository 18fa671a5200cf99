import { LRUCache } from 'lru-cache'
import { v7 as mintId } from 'uuid'
import type { App, Context } from '../../context.ts'
import { type AuditedOperation, auditedOperations } from '../../contract/audit.ts'
import type { RouteName } from '../../contract/index.ts'
import { ServiceError } from '../../contract/problems.ts'
import { auditAlone, listEntries } from '../../store/access/audit.ts'
import type { Handler } from '../handler.ts'

/** Whether the audit log records a call. Archiving a memory and a dry run are not recorded. */
export const isAudited = (name: RouteName, raw: unknown): name is RouteName & AuditedOperation =>
  (auditedOperations as readonly string[]).includes(name) &&
  (name !== 'deleteMemory' || String((raw as { hard?: unknown }).hard) === 'true')

/** Runs a call that the audit log records: its store records a success, and this a failure. */
export async function audited<Result>(
  ctx: Context,
  operation: AuditedOperation,
  run: (ctx: Context) => Promise<Result>,
): Promise<Result> {
  const inner = { ...ctx, audited: { id: mintId(), operation } }
  try {
    return await run(inner)
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'validation_failed')
      await auditAlone({ ...inner, signal: AbortSignal.timeout(RECORD_MS) }, { outcome: error.code }).catch(
        () => ctx.log.warn({ operation }, 'a refused call could not be recorded'),
      )
    throw error
  }
}

const RECORD_MS = 15_000
const REFUSAL_MS = 60_000
const MAXIMUM_KEYS = 10_000

/** Of credentials that belong to no tenant so many are recorded in `REFUSAL_MS`, however many addresses they come from. */
const MAXIMUM_UNKNOWN = 30
/** The tenant of an operator who names none: its log has the credentials that belong to no tenant. */
const NO_TENANT = 'default'

/** Whose credential was refused, as far as that can be trusted. */
export type RefusedCredential = {
  holder: { tenant: string; key: string } | undefined
  address: string | undefined
  outcome: string
}

/** Records refused credentials: once a minute for each key, holder or address, so that nobody can flood the log. */
export class Refusals {
  readonly #app: App
  readonly #recent = new LRUCache<string, true>({ max: MAXIMUM_KEYS, ttl: REFUSAL_MS })
  readonly #unknown = new LRUCache<string, true>({ max: MAXIMUM_UNKNOWN, ttl: REFUSAL_MS })

  constructor(app: App) {
    this.#app = app
  }

  record({ holder, address, outcome }: RefusedCredential) {
    if (!(holder ? this.#isNew(this.#recent, holder.key) : this.#isNew(this.#unknown, address ?? ''))) return
    const { tenant = NO_TENANT, key } = holder ?? {}
    const audited = { id: mintId(), operation: 'authenticate' }
    const signal = AbortSignal.timeout(RECORD_MS)
    auditAlone({ app: this.#app, signal, tenant, key, address, audited }, { outcome }).catch(() =>
      this.#app.log.warn({ key }, 'a refused credential could not be recorded'),
    )
  }

  #isNew(recent: LRUCache<string, true>, whose: string): boolean {
    recent.purgeStale()
    if (recent.has(whose) || (recent === this.#unknown && recent.size === MAXIMUM_UNKNOWN)) return false
    recent.set(whose, true)
    return true
  }
}

export const listAudit: Handler<'listAudit'> = async (ctx, { limit, ...filter }) => {
  const found = await listEntries(ctx, filter, limit + 1)
  const entries = found.slice(0, limit)
  return { entries, next_before: found.length > limit ? (entries.at(-1)?.number ?? null) : null }
}
