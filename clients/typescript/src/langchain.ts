import type { CallbackManagerForRetrieverRun } from '@langchain/core/callbacks/manager'
import { Document } from '@langchain/core/documents'
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers'
import type { Client } from '../../../src/client.ts'
import type { Input, Output } from '../../../src/contract/index.ts'

type Memory = Output<'searchMemories'>['results'][number]['memory']

/** What a document says of its memory, and how well it matches. */
export type MemoryMetadata = Omit<Memory, 'content'> & {
  readonly score: number
  readonly relevance: number | null
}

/** All that a search takes: type, limit and filters; hybrid by default. */
export type MemoryRetrieverInput = BaseRetrieverInput & { readonly client: Client } & {
  readonly search?: Omit<Input<'searchMemories'>, 'query' | 'cursor' | 'search_type'> &
    Partial<Pick<Input<'searchMemories'>, 'search_type'>>
}

/** A retriever of LangChain over the memories of a tenant. A document has the content of a memory and its id. */
export class MemoryRetriever extends BaseRetriever<MemoryMetadata> {
  static override lc_name() {
    return 'MemoryRetriever'
  }

  override lc_namespace = ['mnemograph', 'retrievers']
  readonly #client: Client
  readonly #search: MemoryRetrieverInput['search']

  constructor({ client, search, ...rest }: MemoryRetrieverInput) {
    super(rest)
    this.#client = client
    this.#search = search
  }

  override async _getRelevantDocuments(
    query: string,
    _callbacks?: CallbackManagerForRetrieverRun,
  ): Promise<Document<MemoryMetadata>[]> {
    const { results } = await this.#client.searchMemories({
      search_type: 'hybrid',
      by_parts: true,
      ...this.#search,
      query,
    })
    return results.map(({ memory: { content, ...memory }, score, relevance }) => {
      const metadata = { ...memory, score, relevance: relevance ?? null }
      return new Document({ id: memory.id, pageContent: content, metadata })
    })
  }
}
