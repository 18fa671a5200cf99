import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { onLoopback } from '../../tools/loopback.ts'

type ChatRequest = { messages: { role: string; content: string }[]; tools: { function: { name: string } }[] }
export type Reply = { tool?: [name: string, input: object]; text?: string }

/** A model endpoint as OpenAI has it, which says what a script tells it, step by step. Its address is for `baseURL`. */
export async function startModel(script: readonly Reply[]) {
  const requests: ChatRequest[] = []
  const server = createServer(async (request, response) => {
    requests.push((await json(request)) as ChatRequest)
    const { tool, text = null } = script[requests.length - 1] ?? { text: 'Nothing more.' }
    const calls = tool && [
      { id: 'call', type: 'function', function: { name: tool[0], arguments: JSON.stringify(tool[1]) } },
    ]
    const message = { role: 'assistant', content: text, ...(calls && { tool_calls: calls }) }
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        id: 'reply',
        object: 'chat.completion',
        created: 0,
        model: 'scripted',
        choices: [{ index: 0, message, finish_reason: calls ? 'tool_calls' : 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    )
  })
  const listening = await onLoopback(server)
  return {
    url: `${listening.url}/v1`,
    requests,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  }
}
