import type { Context } from '../../../context.ts'
import type { Parsed } from '../../../contract/index.ts'
import type { Memory } from '../../../contract/memory.ts'
import { timeSlices } from '../../../platform/time-slices.ts'
import { centralMemories } from '../../../store/graph/communities.ts'
import type { MemoryFilter } from '../../../store/memories/filter.ts'
import { inEachPart } from '../../access/private.ts'
import type { Handler } from '../../handler.ts'
import { toFilter } from '../../memories/filters.ts'
import { recordRecalls } from '../../memories/recalls.ts'
import { NO_PREFERENCES } from '../../search/hits.ts'
import { findMemories } from '../../search/search.ts'
import { fillContext, type Hit, type Surroundings } from './filling.ts'
import { candidatesWithoutQuestion } from './overview.ts'
import { surroundings } from './surroundings.ts'
import { HEADER, HEADER_WITHOUT_QUESTION } from './text.ts'

const HITS = 20
/** Of the communities of so many hits, so many memories each. */
const BEST = 3
const CENTRAL = 5

export const composeContext: Handler<'composeContext'> = async (ctx, input) => {
  const { query, max_tokens, include_sensitive, record_recall } = input
  const { hits, header, ...found } = await (query === undefined
    ? withoutQuestion(ctx, input)
    : forQuestion(ctx, { ...input, query }))
  const ties = await surroundings(ctx, hits, input)
  const communities = input.communities ? await ofCommunities(ctx, hits, toFilter(input)) : new Map()
  const all = { ...ties, communities }
  const shown = include_sensitive ? { hits, surroundings: all, hidden: 0 } : withoutSecrets(hits, all)
  const { memories, ...context } = await fillContext(
    shown.hits,
    shown.surroundings,
    { budget: max_tokens, header },
    timeSlices(),
  )
  // Nobody has asked for these: to count them as recalled would keep them in every such context.
  if (record_recall && query !== undefined) await recordRecalls(ctx, memories)
  return { ...context, sensitive_left_out: shown.hidden, ...found }
}

type Input = Parsed<'composeContext'>

async function forQuestion(
  ctx: Context,
  {
    max_tokens: _tokens,
    include_sensitive: _sensitive,
    record_recall: _recall,
    communities: _communities,
    ...asked
  }: Input & { query: string },
) {
  const search = {
    by_parts: true,
    search_type: 'hybrid' as const,
    limit: HITS,
    ...asked,
    ...NO_PREFERENCES,
    diversity: asked.diversity,
    highlight: false,
    explain: false,
  }
  const { results: hits, truncated, weak_left_out, degraded, parts } = await findMemories(ctx, search)
  return { hits, header: HEADER, truncated, weak_left_out, degraded, parts }
}

async function withoutQuestion(ctx: Context, { query: _query, ...filters }: Input) {
  const candidates = await candidatesWithoutQuestion(ctx, toFilter(filters))
  const hits: Hit[] = candidates.map(each => ({ ...each, score: null, relevance: null }))
  return {
    hits,
    header: HEADER_WITHOUT_QUESTION,
    truncated: false,
    weak_left_out: 0,
    degraded: false,
    parts: [],
  }
}

/** A text for a prompt goes where its writer cannot take it back: secrets stay out of it. */
function withoutSecrets(hits: readonly Hit[], { communities, ...ties }: Surroundings) {
  const hidden = new Set<string>()
  const isPlain = ({ id, sensitive }: Memory) => {
    if (sensitive.length > 0) hidden.add(id)
    return sensitive.length === 0
  }
  const isShown = ({ memory }: { memory: Memory }) => isPlain(memory)
  const shownOf = <Tie extends { memory: Memory }>(all: ReadonlyMap<string, readonly Tie[]>) =>
    new Map([...all].map(([id, each]) => [id, each.filter(isShown)]))
  const shown = {
    hits: hits.filter(isShown),
    surroundings: {
      older: shownOf(ties.older),
      turns: shownOf(ties.turns),
      bridges: shownOf(ties.bridges),
      neighbours: shownOf(ties.neighbours),
      contradictions: shownOf(ties.contradictions),
      communities: new Map([...communities].map(([id, each]) => [id, each.filter(isPlain)])),
    },
  }
  return { ...shown, hidden: hidden.size }
}

/** The most central memories of the communities of the best hits, by the best hit of each. */
async function ofCommunities(
  ctx: Context,
  hits: readonly { memory: Memory }[],
  filter: MemoryFilter,
): Promise<Surroundings['communities']> {
  const best = hits.slice(0, BEST).map(({ memory }) => memory)
  const found = await inEachPart(ctx, best, (part, own) => centralFor(part, own, filter))
  return new Map(found.flatMap(each => [...each]))
}

async function centralFor(
  ctx: Context,
  best: readonly Memory[],
  filter: MemoryFilter,
): Promise<Surroundings['communities']> {
  const firsts = new Map(best.toReversed().map(({ community, id }) => [community, id]))
  firsts.delete(null)
  const found = await centralMemories(ctx, [...firsts.keys()] as string[], CENTRAL, filter)
  return Map.groupBy(found, ({ community }) => firsts.get(community) as string)
}
