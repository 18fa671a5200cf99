import type { App, Context } from '../../context.ts'
import { baseTenant } from '../../contract/private.ts'
import type { Quota, Usage } from '../../contract/tenants.ts'
import { putQuota as put, readQuotas } from '../../store/access/quotas.ts'
import { openRemoved } from '../../store/access/tenants.ts'
import type { Handler } from '../handler.ts'
import { operatorOnly } from './operator.ts'

const QUOTAS_MS = 10_000
const READ_MS = 5_000

/** How much tenants may store. The store counts, in the transaction of each write. */
export class Quotas {
  readonly #app: Pick<App, 'neo4j' | 'log' | 'config'>
  #quotas: ReadonlyMap<string, Quota> | undefined
  #readAt = 0

  constructor(app: Pick<App, 'neo4j' | 'log' | 'config'>) {
    this.#app = app
  }

  /** How much a tenant may store; null for any amount. Private memories may be as many as those of their tenant. */
  async limitOf({ tenant }: Pick<Context, 'tenant'>): Promise<Usage | null> {
    if (!this.#quotas) await this.#read()
    else if (Date.now() - this.#readAt > QUOTAS_MS)
      this.#read().catch(() => this.#app.log.warn('the quotas of tenants could not be read'))
    const quota = this.#quotas?.get(tenant) ?? this.#quotas?.get(baseTenant(tenant))
    const usual = this.#app.config.quota
    const limit = {
      memories: quota?.memories ?? usual.memories,
      characters: quota?.characters ?? usual.characters,
    }
    return Object.values(limit).every(most => most === Number.POSITIVE_INFINITY) ? null : limit
  }

  /** This process knows a quota that it has set at once. */
  forget() {
    this.#readAt = 0
    this.#quotas = undefined
  }

  async #read() {
    this.#readAt = Date.now()
    const caller = { app: { neo4j: this.#app.neo4j }, signal: AbortSignal.timeout(READ_MS) }
    this.#quotas = new Map((await readQuotas(caller)).map(quota => [quota.tenant, quota]))
  }
}

/** Stored for the tenant that the request is about, whose audit log records it too. */
export const putQuota: Handler<'putQuota'> = async (ctx, { tenant, ...quota }) => {
  operatorOnly(ctx)
  await openRemoved(ctx, tenant)
  await put({ ...ctx, tenant }, quota)
  ctx.app.quotas.forget()
  return { tenant, ...quota }
}
