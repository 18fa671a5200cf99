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
import type { Memory } from './client.ts'
import { isObject, passes } from './langgraph-filters.ts'
import {
  fullName,
  keyOf,
  labelsOf,
  metadataOf,
  namespaceOf,
  ROOT,
  sessionOf,
  shortKey,
  tagOf,
  tagsOf,
} from './langgraph-names.ts'

export type MemoryStoreOptions = {
  readonly client: Client
  /** The lifecycle policy of new items. Default: `long_term`. */
  readonly policy?: string
}

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
    const puts = new Map(operations.flatMap(each => ('value' in each ? [[placeOf(each), each]] : [])))
    await Promise.all(Array.from(puts.values(), operation => this.#put(operation)))
    return results as OperationResults<Op>
  }

  async #read(operation: Operation): Promise<unknown> {
    if ('namespacePrefix' in operation) return this.#search(operation)
    if ('value' in operation) return undefined
    return 'key' in operation ? this.#get(operation) : this.#listNamespaces(operation)
  }

  async #get(operation: GetOperation): Promise<Item | null> {
    const [memory] = await this.#allOf(operation)
    return memory && valueIn(memory) ? itemOf(memory) : null
  }

  /** The item; a second one if two processes stored it at once. */
  async #allOf({ namespace, key }: GetOperation): Promise<Memory[]> {
    const session_id = await sessionOf(namespace)
    const metadata = { key: await shortKey(key) }
    return (await this.#client.listMemories({ session_id, metadata })).memories
  }

  async #put(operation: PutOperation): Promise<void> {
    const name = placeOf(operation)
    const before = this.#writing.get(name) ?? Promise.resolve()
    const write = before.catch(() => {}).then(() => this.#write(operation))
    this.#writing.set(name, write)
    try {
      await write
    } finally {
      if (this.#writing.get(name) === write) this.#writing.delete(name)
    }
  }

  async #write({ namespace, key, value, index }: PutOperation): Promise<void> {
    const known = await this.#allOf({ namespace, key })
    if (value === null) {
      for (const { id } of known) await this.#client.deleteMemory({ id })
      return
    }
    const content = JSON.stringify(value)
    const metadata = await metadataOf(namespace, key, index !== false)
    if (known[0]) await this.#client.updateMemory({ id: known[0].id, content, metadata })
    else
      await this.#client.createMemory({
        content,
        policy: this.#policy,
        ttl_seconds: 0,
        session_id: await sessionOf(namespace),
        tags: await tagsOf(namespace),
        metadata,
      })
  }

  async #search(operation: SearchOperation): Promise<SearchItem[]> {
    const { namespacePrefix, query, filter = {}, limit = 10, offset = 0 } = operation
    const tag = await tagOf(namespacePrefix)
    const wanted = JSON.parse(JSON.stringify(filter))
    const found: SearchItem[] = []
    for await (const items of query ? this.#matching(tag, query) : this.#listed(tag)) {
      found.push(...items.filter(each => isWithin(namespacePrefix, each) && passes(each.value, wanted)))
      if (found.length >= offset + limit) break
    }
    return found.slice(offset, offset + limit)
  }

  /** Items that are not indexed stand last, without a score. */
  async *#matching(tag: string, query: string): AsyncGenerator<SearchItem[]> {
    const ask = {
      query,
      search_type: 'hybrid' as const,
      by_parts: true,
      tags: [tag],
      limit: PAGE,
    }
    const last: SearchItem[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await this.#client.searchMemories({
        ...ask,
        record_recall: true,
        ...(cursor && { cursor }),
      })
      const items = page.results.filter(({ memory }) => valueIn(memory))
      last.push(...items.filter(({ memory }) => !isIndexed(memory)).map(({ memory }) => itemOf(memory)))
      yield items
        .filter(({ memory }) => isIndexed(memory))
        .map(({ memory, score }) => ({ ...itemOf(memory), score }))
      if (!page.next_cursor) return yield last
      cursor = page.next_cursor
    }
  }

  async *#listed(tag: string): AsyncGenerator<SearchItem[]> {
    const ask = { tags: [tag], order: 'asc' as const, limit: PAGE }
    for (let cursor: string | undefined; ; ) {
      const page = await this.#client.listMemories({ ...ask, ...(cursor && { cursor }) })
      yield page.memories.filter(valueIn).map(itemOf)
      if (!page.next_cursor) return
      cursor = page.next_cursor
    }
  }

  async #listNamespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const { matchConditions = [], maxDepth, limit, offset } = operation
    const found = new Map<string, string[]>()
    for (let cursor: string | undefined, more = true; more; ) {
      const ask = { prefix: ROOT, limit: PAGE, ...(cursor && { cursor }) }
      const page = await this.#client.listSessions(ask)
      for (const { value } of page.values) {
        const namespace = await this.#namespaceNamed(value)
        if (namespace && matchConditions.every(condition => isMatch(condition, namespace))) {
          const cut = namespace.slice(0, maxDepth)
          found.set(fullName(cut), cut)
        }
      }
      cursor = page.next_cursor ?? undefined
      more = cursor !== undefined
    }
    const sorted = [...found.values()].sort((one, other) => (one.join('\0') < other.join('\0') ? -1 : 1))
    return sorted.slice(offset, offset + limit)
  }

  /** A name that is a digest is spelled out in each of its memories. */
  async #namespaceNamed(session: string): Promise<string[] | undefined> {
    if (!session.startsWith(`${ROOT}#`)) return labelsOf(session)
    const { memories } = await this.#client.listMemories({ session_id: session, limit: 1 })
    return memories[0] && namespaceOf(memories[0])
  }
}

const placeOf = ({ namespace, key }: GetOperation) => JSON.stringify([namespace, key])

const isIndexed = ({ metadata }: Memory) => metadata.indexed !== false

/** Undefined if somebody has changed the content to another text. */
function valueIn({ content }: Memory): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(content)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const itemOf = (memory: Memory): Item => ({
  value: valueIn(memory) ?? {},
  key: keyOf(memory),
  namespace: namespaceOf(memory),
  createdAt: new Date(memory.created_at),
  updatedAt: new Date(memory.updated_at),
})

const isWithin = (prefix: readonly string[], { namespace }: Item) =>
  prefix.every((label, at) => label === namespace[at])

function isMatch({ matchType, path }: MatchCondition, namespace: readonly string[]): boolean {
  const start = matchType === 'prefix' ? 0 : namespace.length - path.length
  return start >= 0 && path.every((label, at) => label === '*' || label === namespace[start + at])
}
