import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Context, KeptRule } from '../../context.ts'
import { mapInSlices } from '../../platform/time-slices.ts'
import { queueAgain, queueAllAgain } from '../../store/connections/rediscovery.ts'
import { hasWaiting, keepRule, readRule, sampleByText } from '../../store/connections/rules.ts'
import { completeJob, continueJob } from '../../store/jobs/ending.ts'
import type { LeasedJob } from '../../store/jobs/leases.ts'
import { type Measured, measuredRule, readingOf } from './standing-out.ts'

/** A tenant with more memories is measured by so many of them, and by the vectors of some. */
const SAMPLE = { memories: 500, vectors: 200 }
const MAXIMUM_RULES = 500
/** A rule of few memories is made again within a burst of writes. */
const JUDGED = 32

type Entry = { readonly rule: Promise<KeptRule>; version: string | undefined; judged: number }

/** The rules by which this process discovers, for each tenant and embedding space. */
export class DiscoveryRules {
  readonly #entries = new LRUCache<string, Entry>({ max: MAXIMUM_RULES })

  /** The rule of the tenant, whose present version is known; null before the first. It keeps step with a burst of writes. */
  async of(ctx: Context, version: string | null): Promise<KeptRule> {
    const key = `${ctx.space.id} ${ctx.tenant}`
    const known = this.#entries.get(key)
    const isCurrent = known && (known.version === undefined || known.version === version)
    const entry = isCurrent
      ? known
      : this.#enter(
          key,
          readRule(ctx).then(rule => rule ?? remeasure(ctx)),
        )
    const rule = await entry.rule
    if (++entry.judged <= Math.max(JUDGED, rule.memories) || this.#entries.get(key) !== entry) return rule
    return this.#enter(key, remeasure(ctx)).rule
  }

  #enter(key: string, rule: Promise<KeptRule>): Entry {
    const entry: Entry = { rule, version: undefined, judged: 0 }
    this.#entries.set(key, entry)
    rule.then(
      ({ version }) => {
        entry.version = version
      },
      () => this.#entries.delete(key),
    )
    return entry
  }
}

/** Measures the tenant once its new memories are discovered, and queues those again that the rule judges otherwise than before. */
export async function measureTenant(ctx: Context, job: LeasedJob): Promise<void> {
  if (await hasWaiting(ctx)) return void (await continueJob(ctx, job))
  await settleRule(ctx)
  await completeJob(ctx, job)
  ctx.app.wake()
}

/** A tenant that is larger than the sample is measured again once it has so many times the memories. */
const GROWTH = 2

export async function settleRule(ctx: Context): Promise<KeptRule> {
  const before = await readRule(ctx)
  const { sample, ...rule } = await measure(ctx)
  const isDue = rule.last === null || rule.memories >= GROWTH * (before?.memories ?? 0)
  if (before && !before.unsettled && (!isDue || before.version === rule.version)) return before
  await keepRule(ctx, { ...rule, unsettled: true })
  const isKnown = before && !before.unsettled && rule.last === null && sameBounds(before, rule)
  await (isKnown ? queueAgain(ctx, holdersOf([before.common, rule.common], sample)) : queueAllAgain(ctx))
  await keepRule(ctx, rule)
  return rule
}

/** Within a burst: what was judged before is queued again when the rule is complete. */
async function remeasure(ctx: Context): Promise<KeptRule> {
  const before = await readRule(ctx)
  const { sample: _, ...rule } = await measure(ctx)
  const kept = {
    ...rule,
    unsettled: before !== undefined && (before.unsettled || before.version !== rule.version),
  }
  await keepRule(ctx, kept)
  return kept
}

type Read = Measured & { readonly id: string }

/** Other requests run in between: the texts may be long. */
async function measure(ctx: Context): Promise<KeptRule & { readonly sample: readonly Read[] }> {
  const { memories: sampled, last } = await sampleByText(ctx, SAMPLE.memories, SAMPLE.vectors)
  const sample = await mapInSlices(sampled, ({ id, words, vector }) => ({
    id,
    vector,
    stems: readingOf(words).stems,
  }))
  const isWhole = last === undefined || sample.length < SAMPLE.memories
  const memories = isWhole ? sample.length : Math.round(SAMPLE.memories / shareBelow(last))
  const rule = measuredRule(sample, memories, ctx.discoveryThreshold)
  const version = hash('sha256', JSON.stringify([rule, [...rule.common].sort()]))
  return { ...rule, sample, memories, last: isWhole ? null : last, version, unsettled: false }
}

const DIGITS = [...'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz']

/** Which share of all digests is before one: they are spread evenly. */
const shareBelow = (digest: string) =>
  [...digest.slice(0, 4)].reduce(
    (sum, digit, at) => sum + DIGITS.indexOf(digit) / DIGITS.length ** (at + 1),
    0,
  )

const sameBounds = (one: KeptRule, other: KeptRule) =>
  one.near === other.near &&
  one.far === other.far &&
  one.wordless === other.wordless &&
  one.byWords === other.byWords

/** Those that hold a stem that is in one of two sets. */
const holdersOf = (
  [one, other]: readonly [ReadonlySet<string>, ReadonlySet<string>],
  sample: readonly Read[],
) =>
  sample.flatMap(({ id, stems }) => ([...stems].some(stem => one.has(stem) !== other.has(stem)) ? [id] : []))
