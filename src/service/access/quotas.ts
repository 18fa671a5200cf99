import { LRUCache } from 'lru-cache'
import type { App, Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { ServiceError } from '../../contract/problems.ts'
import type { Quota } from '../../contract/tenants.ts'
import { putQuota as put, readQuotas, readUsage, type Usage } from '../../store/access/quotas.ts'
import { operatorOnly } from './operator.ts'

const QUOTAS_MS = 10_000
const USAGE_MS = 60_000
/** A tenant at its quota cannot make the service count its memories more often. */
const RECOUNT_MS = 1_000
const READ_MS = 5_000
const MAXIMUM_TENANTS = 10_000

/** What a tenant stores: counted at a time, and admitted since. What is being written counts twice for a moment. */
type Known = { counted: Usage; at: number; admitted: Usage; pending: Usage }

const none = (): Usage => ({ memories: 0, characters: 0 })

/**
 * Holds tenants to their quotas without a count for each write: a process counts a tenant each minute, and when the quota
 * seems to be reached. Several processes can together exceed a quota by what they write within that minute.
 */
export class Quotas {
  readonly #app: Pick<App, 'neo4j' | 'log' | 'config'>
  #quotas: ReadonlyMap<string, Quota> | undefined
  #readAt = 0
  readonly #known = new LRUCache<string, Known>({ max: MAXIMUM_TENANTS })

  readonly #counting = new Map<string, Promise<Known>>()

  constructor(app: Pick<App, 'neo4j' | 'log' | 'config'>) {
    this.#app = app
  }

  /** Whether a tenant has a quota at all. */
  async applies({ tenant }: Pick<Context, 'tenant'>): Promise<boolean> {
    return !isUnlimited(await this.#limitOf(tenant))
  }

  /**
   * Admits new memories; disposing of the result says that they are written, or that they are not.
   * @throws ServiceError `quota_exceeded`
   */
  async admit(ctx: Context, contents: readonly { readonly content: string }[]): Promise<Disposable> {
    const limit = await this.#limitOf(ctx.tenant)
    if (isUnlimited(limit) || contents.length === 0) return { [Symbol.dispose]: () => {} }
    const added = {
      memories: contents.length,
      characters: contents.reduce((sum, { content }) => sum + content.length, 0),
    }
    const known = await this.#usageOf(ctx, limit, added)
    const exceeded = exceededBy(limit, totalOf(known, added))
    if (exceeded) throw exceeded
    add(known.admitted, added, 1)
    add(known.pending, added, 1)
    return { [Symbol.dispose]: () => add(known.pending, added, -1) }
  }

  /** This process knows a quota that it has set at once. */
  forget(tenant: string) {
    this.#readAt = 0
    this.#quotas = undefined
    this.#known.delete(tenant)
  }

  async #limitOf(tenant: string): Promise<Usage> {
    if (!this.#quotas) await this.#read()
    else if (Date.now() - this.#readAt > QUOTAS_MS)
      this.#read().catch(() => this.#app.log.warn('the quotas of tenants could not be read'))
    const quota = this.#quotas?.get(tenant)
    const usual = this.#app.config.quota
    return {
      memories: quota?.memories ?? usual.memories,
      characters: quota?.characters ?? usual.characters,
    }
  }

  async #read() {
    this.#readAt = Date.now()
    const caller = { app: { neo4j: this.#app.neo4j }, signal: AbortSignal.timeout(READ_MS) }
    this.#quotas = new Map((await readQuotas(caller)).map(quota => [quota.tenant, quota]))
  }

  async #usageOf(ctx: Context, limit: Usage, added: Usage): Promise<Known> {
    const known = this.#known.get(ctx.tenant)
    const age = Date.now() - (known?.at ?? 0)
    if (known && age < USAGE_MS && (age < RECOUNT_MS || !exceededBy(limit, totalOf(known, added))))
      return known
    const counting = this.#counting.get(ctx.tenant) ?? this.#count(ctx.tenant, limit)
    this.#counting.set(ctx.tenant, counting)
    return counting
  }

  /** Requests at the same moment share a count, and what it admits. */
  async #count(tenant: string, limit: Usage): Promise<Known> {
    const pending = this.#known.get(tenant)?.pending ?? none()
    try {
      const counted = await readUsage(
        { app: { neo4j: this.#app.neo4j }, signal: AbortSignal.timeout(READ_MS) },
        tenant,
        { characters: limit.characters !== Number.POSITIVE_INFINITY },
      )
      const fresh = { counted, at: Date.now(), admitted: { ...pending }, pending }
      this.#known.set(tenant, fresh)
      return fresh
    } finally {
      this.#counting.delete(tenant)
    }
  }
}

const isUnlimited = (limit: Usage) => Object.values(limit).every(most => most === Number.POSITIVE_INFINITY)

const totalOf = ({ counted, admitted }: Known, added: Usage): Usage => ({
  memories: counted.memories + admitted.memories + added.memories,
  characters: counted.characters + admitted.characters + added.characters,
})

function add(usage: Usage, { memories, characters }: Usage, sign: 1 | -1) {
  usage.memories += sign * memories
  usage.characters += sign * characters
}

function exceededBy(limit: Usage, total: Usage): ServiceError | undefined {
  const names = ['memories', 'characters'] as const
  const over = names.find(name => total[name] > limit[name])
  return (
    over &&
    new ServiceError(
      'quota_exceeded',
      `The tenant would have ${total[over]} ${over}, and its quota allows ${limit[over]}.`,
    )
  )
}

/** Stored for the tenant that the request is about, whose audit log records it too. */
export async function putQuota(
  ctx: Context,
  { tenant, ...quota }: Parsed<'putQuota'>,
): Promise<Output<'putQuota'>> {
  operatorOnly(ctx)
  await put({ ...ctx, tenant }, quota)
  ctx.app.quotas.forget(tenant)
  return { tenant, ...quota }
}
