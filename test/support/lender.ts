import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { readMachine } from '../../src/platform/config.ts'
import { startManaged } from '../../src/platform/neo4j/managed.ts'
import { serveBrowser } from '../../tools/chromium.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'

export type TestDatabase = { uri: string; username: string; password: string; database: string }

const sizing = {
  heap: 512,
  pageCache: 64,
  // As the database of the run: few plans, which last.
  others: { 'dbms.cypher.min_replan_interval': '1h', 'internal.cypher.use_parameter_size': 'false' },
}

/**
 * Lends what takes long to start to test files, whatever process they run in. `GET /database` borrows a Neo4j: one that was given
 * back with `POST`, which has its plans, or a new one. `GET /browser` answers where the one browser of the run is.
 */
export async function startLender() {
  await using starting = new AsyncDisposableStack()
  const started = starting.use(new AsyncDisposableStack())
  const idle: TestDatabase[] = []
  let browser: Promise<string> | undefined
  const answer = async ({ url, method }: IncomingMessage, body: unknown) => {
    if (url === '/browser') {
      browser ??= startBrowser(started)
      return browser
    }
    if (method === 'GET') return idle.pop() ?? (await startDatabase(started))
    idle.push(body as TestDatabase)
    return null
  }
  const server = createServer((request, response) => {
    text(request)
      .then(body => answer(request, body && JSON.parse(body)))
      .then(
        given => send(response, 200, given),
        error => send(response, 500, String(error)),
      )
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  starting.defer(() => void server.close())
  const stack = starting.move()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function startDatabase(started: AsyncDisposableStack): Promise<TestDatabase> {
  const folder = temporaryFolder()
  started.defer(() => rmSync(folder, { recursive: true, force: true }))
  const { uri, username, password, database } = started.use(
    await startManaged(folder, sizing, readMachine(), () => {}),
  )
  return { uri, username, password, database }
}

async function startBrowser(started: AsyncDisposableStack): Promise<string> {
  const server = await serveBrowser()
  started.defer(() => server.close())
  return server.wsEndpoint()
}

function send(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
