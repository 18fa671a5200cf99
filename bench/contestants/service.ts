import { idOf } from '../corpus.ts'
import { call } from '../http.ts'
import { KEY, type World } from '../world.ts'
import { type Contestant, DEPTH, LIMIT, PAGE, RELATED } from './contestant.ts'

type Memory = { id: string }

/** The service, over HTTP. `tenant` is the one that is read, `written` the one that is written to. */
export async function createService(
  { corpus, service }: Pick<World, 'corpus' | 'service'>,
  tenant: string,
  written: string,
): Promise<Contestant & { search: (body: object) => Promise<string[]> }> {
  const ask = askOf(service.url)
  const search = async (body: object) => {
    const { results } = (await ask(tenant, 'POST', '/memories/search', body)) as {
      results: { memory: Memory }[]
    }
    return results.map(({ memory }) => memory.id)
  }
  const page = async (cursor?: string) =>
    (await ask(tenant, 'GET', `/memories?limit=${PAGE}${cursor ? `&cursor=${cursor}` : ''}`)) as {
      memories: Memory[]
      next_cursor: string | null
    }
  const idsOf = ({ memories }: { memories: Memory[] }) => memories.map(({ id }) => id)
  const last = await lastCursor(page)
  return {
    search,
    semantic: at => search({ query: corpus.query(at), search_type: 'semantic', limit: LIMIT }),
    keyword: at => search({ query: corpus.words(at), search_type: 'keyword', limit: LIMIT }),
    hybrid: at => search({ query: corpus.query(at), search_type: 'hybrid', limit: LIMIT }),
    async get(at) {
      const path = `/memories/${readable(corpus, at)}?record_recall=false`
      return [((await ask(tenant, 'GET', path)) as Memory).id]
    },
    firstPage: async () => idsOf(await page()),
    lastPage: async () => idsOf(await page(last)),
    async related(at) {
      const path = `/memories/${readable(corpus, at)}/related?depth=${DEPTH}&limit=${RELATED}`
      const { related } = (await ask(tenant, 'GET', path)) as { related: { memory: Memory }[] }
      return related.map(({ memory }) => memory.id)
    },
    async create(at) {
      const { content, tags, importance } = corpus.memory(corpus.size + at)
      return ask(written, 'POST', '/memories', {
        content,
        tags,
        importance,
        policy: 'long_term',
        ttl_seconds: 0,
      })
    },
  }
}

/** A memory of the tenant that has most. */
export const readable = ({ name, size }: World['corpus'], at: number) =>
  idOf(name, Math.floor(((at * 7919) % size) / 100) * 100 + 11 + (at % 89))

/** A request of the operator in a tenant. @throws when it is refused */
export const askOf =
  (url: string) =>
  async (tenant: string, method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${KEY}`, 'x-tenant-id': tenant }
    const answer = await call(`${url}/api/v1${path}`, { method, headers, body })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer.body
  }

async function lastCursor(page: (cursor?: string) => Promise<{ next_cursor: string | null }>) {
  let last: string | undefined
  for (let next = (await page()).next_cursor; next !== null; ) {
    last = next
    next = (await page(next)).next_cursor
  }
  return last
}
