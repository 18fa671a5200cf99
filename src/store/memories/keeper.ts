/** What decides which of several memories that say the same is kept; times in milliseconds, null is open. */
export type Keepable = {
  readonly id: string
  readonly policy: string
  readonly recallCount: number
  readonly createdAt: number
  readonly validFrom: number | null
  readonly validUntil: number | null
  readonly expiresAt: number | null
}

type Span = Pick<Keepable, 'validFrom' | 'validUntil' | 'expiresAt'>

/** Whether two memories that say the same hold at the same time: texts whose validity differs are no duplicates. */
export const holdsAlike = (a: Omit<Span, 'expiresAt'>, b: Omit<Span, 'expiresAt'>) =>
  a.validFrom === b.validFrom && a.validUntil === b.validUntil

/** Whether one that says the same can stand for another one. */
export const lastsAsLong = (one: Span, other: Span) =>
  holdsAlike(one, other) && (one.expiresAt ?? FOREVER) >= (other.expiresAt ?? FOREVER)

const FOREVER = Number.POSITIVE_INFINITY

export type Keeping = {
  readonly now: number
  /** For how many days a memory of a policy lasts that nobody recalls; `Infinity` for ever. */
  readonly lasts?: (policy: string) => number
  /** The policy that all others have, where there are several of them. */
  readonly common?: (memory: Keepable) => string | undefined
}

type Criterion = {
  readonly name: string
  readonly worth: (memory: Keepable, keeping: Keeping) => number
}

/** What counts for a memory that is kept, the weightiest first. */
const criteria: readonly Criterion[] = [
  { name: 'one that holds now', worth: (memory, { now }) => Number(holdsAt(memory, now)) },
  { name: 'pinned one', worth: ({ policy }) => Number(policy === 'pinned') },
  { name: 'one that lives longer', worth: endOf },
  { name: 'one that lives longer', worth: ({ policy }, { lasts }) => lasts?.(policy) ?? 0 },
  {
    name: 'one with the policy of the others',
    worth: (memory, { common }) => Number((common?.(memory) ?? memory.policy) === memory.policy),
  },
  { name: 'most recalled one', worth: ({ recallCount }) => recallCount },
  { name: 'oldest one', worth: ({ createdAt }) => -createdAt },
]

/** The order in which memories that say the same are kept: the first before all others. */
export const byKeeping =
  (keeping: Keeping) =>
  (a: Keepable, b: Keepable): number => {
    const decides = decisive(a, b, keeping)
    if (!decides) return a.id < b.id ? -1 : 1
    return decides.worth(a, keeping) > decides.worth(b, keeping) ? -1 : 1
  }

/** What the memory that is kept is, and some of the others are not. */
export function whyKept(kept: Keepable, others: readonly Keepable[], keeping: Keeping): string {
  const found = criteria.find(criterion => others.some(other => decisive(kept, other, keeping) === criterion))
  return (found ?? (criteria.at(-1) as Criterion)).name
}

const decisive = (a: Keepable, b: Keepable, keeping: Keeping) =>
  criteria.find(({ worth }) => worth(a, keeping) !== worth(b, keeping))

const holdsAt = ({ validFrom, validUntil, expiresAt }: Keepable, now: number) =>
  (validFrom ?? now) <= now && (validUntil ?? now + 1) > now && (expiresAt ?? now + 1) > now

function endOf({ validUntil, expiresAt }: Keepable) {
  return Math.min(validUntil ?? FOREVER, expiresAt ?? FOREVER)
}

/** The columns of a statement from which a memory `m` is read as one that may be kept. */
export const keepableColumns = (
  m: string,
) => `${m}.id AS id, ${m}.policy AS policy, ${m}.recallCount AS recallCount,
      ${m}.createdAt.epochMillis AS createdAt, ${m}.validFrom.epochMillis AS validFrom,
      ${m}.validUntil.epochMillis AS validUntil, ${m}.expiresAt.epochMillis AS expiresAt`
