/** The best plain queries behind `node:http`, as a process of its own; its settings are its argument. Prints its address. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import neo4j from 'neo4j-driver'
import type { Read } from './contestants/contestant.ts'
import { bestRows } from './contestants/raw-best.ts'
import { createCorpus } from './corpus.ts'

const { uri, username, password, endpoint, name, size, topics, tenant, last } = JSON.parse(
  process.argv[2] as string,
)
const driver = neo4j.driver(uri, neo4j.auth.basic(username, password), {
  disableLosslessIntegers: true,
  telemetryDisabled: true,
})
const rows = await bestRows({ corpus: createCorpus(name, size, topics), driver, endpoint }, tenant, last)

const server = createServer(async (req, res) => {
  let text = ''
  for await (const chunk of req.setEncoding('utf8')) text += chunk
  const found = await rows[req.url?.slice(1) as Read](JSON.parse(text).at)
  res.setHeader('content-type', 'application/json')
  res.end(JSON.stringify(found))
})

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.stdin.resume().once('end', () => process.exit())
