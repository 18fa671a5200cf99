import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a request holds: the name of the schema, and the data of the user's message. */
export type Asked = {
  readonly name: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: the data of any prompt
  readonly data: any
  readonly rules: string
  readonly body: Readonly<Record<string, unknown>>
}

/** How a request goes wrong. `silent` takes it and never answers; `down` closes the connection; `text` answers with this text, cut at the bound of the answer if `cut` is set. */
export type ModelFault =
  | 'down'
  | 'silent'
  | 'huge'
  | { readonly text: string; readonly cut?: boolean }
  | { readonly status: number; readonly says?: string }

/** An OpenAI-compatible `/v1/chat/completions` on a free loopback port. `answer` is the script of the model. */
export async function startModelEndpoint(
  answer: (asked: Asked) => unknown,
  tokens: number | undefined = 100,
) {
  const asked: Asked[] = []
  let script: ModelFault[] = []
  let always: ModelFault | undefined
  let say = answer
  let held: PromiseWithResolvers<void> | undefined
  let refuses: (body: Asked['body']) => boolean = () => false
  let goesWrong: (asked: Asked) => ModelFault | undefined = () => undefined
  const server = createServer(async (req, res) => {
    const body = JSON.parse(await textOf(req))
    const [{ content: rules }, { content }] = body.messages
    const each = { name: nameIn(rules), data: JSON.parse(content), rules, body }
    if (refuses(body)) return void res.writeHead(400).end('{"error": {"message": "unknown parameter"}}')
    asked.push(each)
    const fault = script.shift() ?? always ?? goesWrong(each)
    if (fault !== undefined) return fail(res, fault)
    const answered = JSON.stringify(say(each))
    await held?.promise
    send(res, answered, tokens)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    /** For `SERVICE_MODEL_BASE_URL`. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** Every request so far, oldest first. */
    asked,
    /** Another script from now on. */
    answerWith(next: (asked: Asked) => unknown) {
      say = next
    },
    /** A fault for every request until `recover()`, or a list of faults for the next ones. */
    fail(next: ModelFault | ModelFault[]) {
      if (Array.isArray(next)) script.push(...next)
      else always = next
    },
    /** A fault for such requests. */
    failWhere(which: (asked: Asked) => ModelFault | undefined) {
      goesWrong = which
    },
    /** Requests of such a form are refused with 400. */
    refuseForm(which: (body: Asked['body']) => boolean) {
      refuses = which
    },
    /** Requests are taken but not answered until the returned function is called. */
    hold() {
      held = Promise.withResolvers<void>()
      return () => {
        held?.resolve()
        held = undefined
      }
    },
    recover() {
      script = []
      always = undefined
      say = answer
      refuses = () => false
      goesWrong = () => undefined
    },
    async [Symbol.asyncDispose]() {
      held?.resolve()
      server.close()
      server.closeAllConnections()
    },
  }
}

const nameIn = (rules: string) =>
  rules.includes('"facts"') ? 'extract' : rules.includes('"pairs"') ? 'judge' : undefined

function send(res: ServerResponse, content: string, tokens: number | undefined, finish_reason = 'stop') {
  const choices = [{ index: 0, finish_reason, message: { role: 'assistant', content } }]
  const usage = tokens === undefined ? undefined : { total_tokens: tokens }
  res.setHeader('content-type', 'application/json').end(JSON.stringify({ choices, usage }))
}

function fail(res: ServerResponse, fault: ModelFault) {
  if (fault === 'silent') return
  if (fault === 'down') res.destroy()
  else if (fault === 'huge') send(res, 'x'.repeat(4 << 20), 1)
  else if ('text' in fault) send(res, fault.text, 100, fault.cut ? 'length' : 'stop')
  else
    res
      .writeHead(fault.status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message: fault.says ?? 'no' } }))
}

async function textOf(req: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of req.setEncoding('utf8')) text += chunk
  return text
}
