import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from '@langchain/langgraph-checkpoint'
import type { Client } from '../../../src/client.ts'
import type { Output } from '../../../src/contract/index.ts'

type Memory = Output<'listMemories'>['memories'][number]

export type MemoryStoreOptions = {
  readonly client: Client
  /** The lifecycle policy of new items. Default: `long_term`. */
  readonly policy?: string
}

const ROOT = 'langgraph:'
const PAGE = 200

/**
 * A long-term store of LangGraph in which each item is a memory. Its content is the value as JSON, its `session_id` stands for the
 * namespace, its tags for the prefixes of that, and its metadata have the key. A search with a query is hybrid. A deleted
 * item is an archived memory.
 *
 * Two processes that put a new key at the same time can store it twice; a read then answers the later one.
 */
export class MemoryStore extends BaseStore {
  readonly #client: Client
  readonly #policy: string
  /** Of each item that is being written, when the last of its writers in this process has finished. */
  readonly #writing = new Map<string, Promise<unknown>>()

  constructor({ client, policy = 'long_term' }: MemoryStoreOptions) {
    super()
    this.#client = client
    this.#policy = policy
  }

  /** The reads of a batch do not see its writes; of several writes of one item the last one counts. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results = await Promise.all(operations.map(operation => this.#read(operation)))
    const puts = new Map(operations.flatMap(each => ('value' in each ? [[nameOf(each), each]] : [])))
    await Promise.all(Array.from(puts.values(), operation => this.#put(operation)))
    return results as OperationResults<Op>
  }

  async #read(operation: Operation): Promise<unknown> {
    if ('namespacePrefix' in operation) return this.#search(operation)
    if ('value' in operation) return undefined
    return 'key' in operation ? this.#get(operation) : this.#listNamespaces(operation)
  }

  async #get(operation: GetOperation): Promise<Item | null> {
    const memory = await this.#find(operation)
    return memory ? itemOf(memory) : null
  }

  async #find({ namespace, key }: GetOperation): Promise<Memory | undefined> {
    const { memories } = await this.#client.listMemories({
      session_id: sessionOf(namespace),
      metadata: { key },
      limit: 1,
    })
    return memories[0]
  }

  async #put(operation: PutOperation): Promise<void> {
    const name = nameOf(operation)
    const before = this.#writing.get(name) ?? Promise.resolve()
    const write = before.catch(() => {}).then(() => this.#write(operation))
    this.#writing.set(name, write)
    try {
      await write
    } finally {
      if (this.#writing.get(name) === write) this.#writing.delete(name)
    }
  }

  async #write({ namespace, key, value }: PutOperation): Promise<void> {
    const known = await this.#find({ namespace, key })
    if (value === null) {
      if (known) await this.#client.deleteMemory({ id: known.id })
      return
    }
    const content = JSON.stringify(value)
    if (known) await this.#client.updateMemory({ id: known.id, content })
    else
      await this.#client.createMemory({
        content,
        policy: this.#policy,
        ttl_seconds: 0,
        session_id: sessionOf(namespace),
        tags: tagsOf(namespace),
        metadata: { key },
      })
  }

  async #search(operation: SearchOperation): Promise<SearchItem[]> {
    const { namespacePrefix, query, filter = {}, limit = 10, offset = 0 } = operation
    const pages = query ? this.#matching(namespacePrefix, query) : this.#listed(namespacePrefix)
    const found: SearchItem[] = []
    for await (const items of pages) {
      found.push(...items.filter(({ value }) => passes(value, filter)))
      if (found.length >= offset + limit) break
    }
    return found.slice(offset, offset + limit)
  }

  async *#matching(prefix: string[], query: string): AsyncGenerator<SearchItem[]> {
    const ask = { query, search_type: 'hybrid' as const, tags: [tagOf(prefix)], limit: PAGE }
    for (let cursor: string | undefined; ; ) {
      const page = await this.#client.searchMemories({
        ...ask,
        record_recall: true,
        ...(cursor && { cursor }),
      })
      yield page.results.map(({ memory, score }) => ({ ...itemOf(memory), score }))
      if (!page.next_cursor) return
      cursor = page.next_cursor
    }
  }

  async *#listed(prefix: string[]): AsyncGenerator<SearchItem[]> {
    const ask = { tags: [tagOf(prefix)], order: 'asc' as const, limit: PAGE }
    for (let cursor: string | undefined; ; ) {
      const page = await this.#client.listMemories({ ...ask, ...(cursor && { cursor }) })
      yield page.memories.map(itemOf)
      if (!page.next_cursor) return
      cursor = page.next_cursor
    }
  }

  async #listNamespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const { matchConditions = [], maxDepth, limit, offset } = operation
    const names = new Set<string>()
    for (let cursor: string | undefined, more = true; more; ) {
      const ask = { prefix: ROOT, limit: PAGE, ...(cursor && { cursor }) }
      const page = await this.#client.listSessions(ask)
      for (const { value } of page.values) {
        const namespace = namespaceOf(value)
        if (matchConditions.every(condition => isMatch(condition, namespace)))
          names.add(sessionOf(namespace.slice(0, maxDepth)))
      }
      cursor = page.next_cursor ?? undefined
      more = cursor !== undefined
    }
    return [...names]
      .sort()
      .map(namespaceOf)
      .slice(offset, offset + limit)
  }
}

/** Labels hold neither colons nor periods: LangGraph refuses them. */
const sessionOf = (namespace: readonly string[]) => ROOT + namespace.join(':')
const namespaceOf = (session: string) => session.slice(ROOT.length).split(':')
const nameOf = ({ namespace, key }: GetOperation) => `${sessionOf(namespace)}\0${key}`

const tagOf = sessionOf
const tagsOf = (namespace: readonly string[]) =>
  Array.from({ length: namespace.length + 1 }, (_, depth) => tagOf(namespace.slice(0, depth)))

const itemOf = ({ content, session_id, metadata, created_at, updated_at }: Memory): Item => ({
  value: JSON.parse(content),
  key: String(metadata.key),
  namespace: namespaceOf(session_id ?? ROOT),
  createdAt: new Date(created_at),
  updatedAt: new Date(updated_at),
})

function isMatch({ matchType, path }: MatchCondition, namespace: readonly string[]): boolean {
  const start = matchType === 'prefix' ? 0 : namespace.length - path.length
  return start >= 0 && path.every((label, at) => label === '*' || label === namespace[start + at])
}

/** The filters of LangGraph: a value, or an object of operators such as `{ $gte: 3 }`, for each field. */
function passes(value: Record<string, unknown>, filter: Record<string, unknown>): boolean {
  return Object.entries(filter).every(([field, wanted]) => {
    const isOperators =
      typeof wanted === 'object' && wanted !== null && Object.keys(wanted).some(name => name.startsWith('$'))
    if (!isOperators) return isEqual(value[field], wanted)
    return Object.entries(wanted).every(([name, bound]) => compare(name, value[field], bound))
  })
}

function compare(operator: string, value: unknown, bound: unknown): boolean {
  switch (operator) {
    case '$eq':
      return isEqual(value, bound)
    case '$ne':
      return !isEqual(value, bound)
    case '$gt':
      return Number(value) > Number(bound)
    case '$gte':
      return Number(value) >= Number(bound)
    case '$lt':
      return Number(value) < Number(bound)
    case '$lte':
      return Number(value) <= Number(bound)
    case '$in':
      return Array.isArray(bound) && bound.some(each => isEqual(value, each))
    case '$nin':
      return !(Array.isArray(bound) && bound.some(each => isEqual(value, each)))
    default:
      return false
  }
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
