import { call } from '../http.ts'
import { startPlainServer } from '../processes.ts'
import type { World } from '../world.ts'
import type { Contestant } from './contestant.ts'
import { idsOf, type Read, type Row } from './raw-best.ts'

type Reads = Omit<Contestant, 'create'> & AsyncDisposable

/** The best known forms behind a plain HTTP server: what a process of its own and JSON cost. */
export async function createRawHttp(
  world: Pick<World, 'corpus' | 'database' | 'endpoint'>,
  tenant: string,
  last: number,
): Promise<Reads> {
  const { name, size, topics } = world.corpus
  const server = await startPlainServer({
    ...world.database,
    endpoint: world.endpoint,
    name,
    size,
    topics,
    tenant,
    last,
  })
  const ids = (read: Read) => async (at: number) => {
    const { body } = await call(`${server.url}/${read}`, { method: 'POST', body: { at } })
    return idsOf(body as Row[])
  }
  return {
    semantic: ids('semantic'),
    keyword: ids('keyword'),
    hybrid: ids('hybrid'),
    get: ids('get'),
    firstPage: ids('firstPage'),
    lastPage: ids('lastPage'),
    related: ids('related'),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
