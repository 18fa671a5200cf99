import { sentence } from '../../contract/faults.ts'
import { inspectJson, type JsonFault } from '../../contract/json.ts'
import { fromPointer } from '../../contract/pointers.ts'
import { LONGEST_LINE, splitLines } from './lines.ts'
import { code, errorMessage, type Id, idOf, isMessage, parseMessage, type RpcAnswer } from './messages.ts'
import type { Upstream } from './upstream.ts'

type Write = (message: unknown) => void

/** The last protocol revision with batches of messages. */
const WITH_BATCHES = '2025-03-26'

/**
 * Carries messages between a host, line by line, and the service, each as it was written. It knows as little of them as it can: tools, resources
 * and revisions are the service's. Ends with the input, when what was asked has been answered.
 */
export async function bridge(input: AsyncIterable<Buffer>, write: Write, upstream: Upstream): Promise<void> {
  let revision: string | undefined
  for await (const line of splitLines(input)) take(line)
  await upstream.finish()

  function take(line: Buffer | undefined) {
    if (line === undefined) return write(errorMessage(null, tooLong))
    if (line.every(byte => byte <= 0x20)) return
    const parsed = parseMessage(line)
    if (parsed === undefined) return write(errorMessage(null, { code: code.parse, message: notJson }))
    const { value, text } = parsed
    if (Array.isArray(value)) return void takeBatch(value, text)
    const answer = line.length > LONGEST_LINE / 2 ? errorMessage(idOf(value), tooLong) : handle(value, text)
    void Promise.resolve(answer).then(response => response && write(response))
  }

  async function takeBatch(values: readonly unknown[], text: string) {
    if (revision !== WITH_BATCHES || values.length === 0)
      return write(errorMessage(null, { code: code.invalid, message: noBatch }))
    const { fault } = inspectJson(text)
    if (fault) return write(errorMessage(null, { code: code.invalid, message: changedBy(fault) }))
    const answers = (await Promise.all(values.map(each => handle(each)))).filter(
      answer => answer !== undefined,
    )
    if (answers.length > 0) write(answers)
  }

  async function handle(value: unknown, text?: string): Promise<RpcAnswer | undefined> {
    if (!isMessage(value)) return errorMessage(idOf(value), { code: code.invalid, message: noMessage })
    const { id, method, params } = value
    if (method === 'notifications/cancelled') upstream.cancel(params?.requestId as Id)
    // The service keeps no session: it needs no other notifications of a host, and sends it no requests.
    if (id === undefined || method === undefined) return undefined
    const answer = await upstream.ask({ ...value, id }, text)
    const agreed = answer && 'result' in answer ? answer.result?.protocolVersion : undefined
    if (method === 'initialize' && typeof agreed === 'string') {
      revision = agreed
      upstream.speak(agreed)
    }
    return answer
  }
}

const notJson = 'Parse error: the line is not JSON in UTF-8'
const noMessage = 'Invalid request: this is no JSON-RPC 2.0 message'
const changedBy = ({ pointer, rule }: JsonFault) => `Invalid request: ${sentence(fromPointer(pointer), rule)}`
const noBatch = 'Invalid request: this revision of the protocol has no batches'
const tooLong = {
  code: code.invalid,
  message: `Invalid request: a message may have ${LONGEST_LINE / 2 ** 21} MiB; store less at once`,
}
