/** An OpenAI-compatible `/v1/embeddings` on a free loopback port, as a process of its own; prints its address. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { vectorOf } from './corpus.ts'

const server = createServer(async (req, res) => {
  let text = ''
  for await (const chunk of req.setEncoding('utf8')) text += chunk
  const inputs: string[] = [JSON.parse(text).input].flat()
  const data = inputs.map((input, index) => ({
    object: 'embedding',
    index,
    embedding: Array.from(vectorOf(input), value => Math.round(value * 1e7) / 1e7),
  }))
  res.setHeader('content-type', 'application/json')
  res.end(
    JSON.stringify({ object: 'list', data, model: 'bench', usage: { prompt_tokens: 1, total_tokens: 1 } }),
  )
})

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1\n`)
})
process.stdin.resume().once('end', () => process.exit())
