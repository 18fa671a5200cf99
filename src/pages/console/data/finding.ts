import { client, type Memory } from './client.ts'

export type Found = { memory: Memory; relevance: number | undefined; text: string }

export type FoundPage = { results: Found[]; next: string | null; degraded: boolean; weak: number }

export const searchTypes = ['hybrid', 'semantic', 'keyword'] as const
export const states = ['active', 'archived', 'any'] as const
export const orders = ['created_at', 'updated_at', 'importance', 'health', 'last_recalled_at'] as const
const PAGE = 100
/** Of a search, which runs again with each key: as many as are in sight, and some more. */
const HITS = 50
/** What does not bear on the query is left out. */
const BEARING = { min_relevance: 'auto' } as const

/** The words of the search field that are filters, with their names in the address. */
export const filterWords = {
  tag: 'tags',
  source: 'source',
  policy: 'policy',
  session: 'session',
  kind: 'kind',
  importance: 'importance',
  after: 'after',
  before: 'before',
  is: 'state',
} as const

const FILTER =
  /(?:^|\s)(tag|source|policy|session|kind|importance|after|before|is):("[^"]+"|[^\s"]+)(?=\s|$)/g

/** Takes the filters out of what was typed; one that may not be complete yet stays. */
export function readTyped(typed: string, tags: string, isComplete: boolean) {
  const filters: Record<string, string> = {}
  const text = `${typed}${isComplete ? ' ' : ''}`.replaceAll(
    FILTER,
    (all, word, value, at, whole: string) => {
      if (at + all.length >= whole.length) return all
      const plain = value.replaceAll('"', '')
      const name = filterWords[word as keyof typeof filterWords]
      filters[name] = name === 'tags' ? [filters.tags ?? tags, plain].filter(Boolean).join(', ') : plain
      return ''
    },
  )
  return { text: Object.keys(filters).length > 0 || isComplete ? text.trim() : text, filters }
}

const nameIn = <const Name extends string>(names: readonly Name[], text: string): Name | undefined =>
  names.find(name => name === text)

/** The states of memories that the address names: active ones unless it says otherwise. */
export const stateOf = (get: (name: string) => string) => nameIn(states, get('state')) ?? 'active'

/** The kind of search that the address names. */
export const typeOf = (get: (name: string) => string) => nameIn(searchTypes, get('type')) ?? 'hybrid'

export type Filters = {
  tags?: string[]
  policy?: string
  source?: string
  session_id?: string
  kind?: string
  created_after?: string
  created_before?: string
  min_importance?: number
}

/** The filters that the address names, as the service takes them. */
export function filtersOf(get: (name: string) => string): Filters {
  const given = {
    tags: get('tags')
      .split(',')
      .map(tag => tag.trim())
      .filter(tag => tag !== ''),
    policy: get('policy'),
    source: get('source'),
    session_id: get('session'),
    kind: get('kind'),
    created_after: get('after') && `${get('after')}T00:00:00Z`,
    created_before: get('before') && `${get('before')}T00:00:00Z`,
  }
  const min_importance = Number(get('importance')) || undefined
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value.length > 0)),
    ...(min_importance === undefined ? {} : { min_importance }),
  }
}

const inState = { active: {}, archived: { state: 'archived' }, any: { include_archived: true } } as const

/** A page of the search that the address asks for, or of the list where it asks for none. */
export async function findPage(
  get: (name: string) => string,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<FoundPage> {
  const query = get('q').trim()
  const page = {
    limit: query === '' ? PAGE : HITS,
    ...filtersOf(get),
    ...(cursor === undefined ? {} : { cursor }),
  }
  if (query !== '')
    return search(query, typeOf(get), get('all') === '' ? { ...page, ...BEARING } : page, signal)
  const answer = await client().listMemories(
    {
      ...page,
      order_by: nameIn(orders, get('order')) ?? 'created_at',
      order: get('ascending') === '' ? 'desc' : 'asc',
      ...inState[stateOf(get)],
    },
    { signal },
  )
  return {
    results: answer.memories.map(memory => ({ memory, relevance: undefined, text: rest(memory) })),
    next: answer.next_cursor,
    degraded: false,
    weak: 0,
  }
}

async function search(
  query: string,
  search_type: (typeof searchTypes)[number],
  page: { limit: number },
  signal: AbortSignal,
): Promise<FoundPage> {
  const answer = await client().searchMemories({ ...page, query, search_type, highlight: true }, { signal })
  return {
    results: answer.results.map(({ memory, relevance, highlight }) => ({
      memory,
      relevance,
      text: highlight?.text ?? rest(memory),
    })),
    next: answer.next_cursor,
    degraded: answer.degraded,
    weak: answer.weak_left_out,
  }
}

const rest = ({ content }: Memory) => content.split('\n').slice(1).join(' ').slice(0, 300)
