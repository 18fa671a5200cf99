import type { GraphiQLProps } from 'graphiql'
import { type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql'
import { call, eventsOf } from '../../data/client.ts'

type Fetcher = NonNullable<GraphiQLProps['fetcher']>
type Asked = Parameters<Fetcher>[0]
type Known = NonNullable<Parameters<Fetcher>[1]>

/** Asks `/graphql` with the key of this session. */
export const createFetcher = (): Fetcher =>
  function fetcher(params, options) {
    return subscribes(params, options) ? answersOf(params) : answerOf(params)
  }

const subscribes = ({ operationName }: Asked, { documentAST }: Known = {}) =>
  documentAST !== undefined &&
  getOperationAST(documentAST, operationName)?.operation === OperationTypeNode.SUBSCRIPTION

const answerOf = async (params: Asked) => (await call('/graphql', request(params))).json()

/** By the graphql-sse protocol, until the server completes it or the reader has had enough. */
function answersOf(params: Asked): AsyncGenerator<ExecutionResult> {
  const reading = new AbortController()
  const answers = readAnswers(params, reading.signal)
  const end = answers.return.bind(answers)
  // One that waits for the next event does not hear by itself that nobody wants it any more.
  answers.return = value => {
    reading.abort()
    return end(value)
  }
  return answers
}

async function* readAnswers(params: Asked, signal: AbortSignal) {
  try {
    for await (const { name, data } of eventsOf('/graphql', { ...request(params), signal })) {
      if (name === 'complete') return
      if (name === 'next') yield JSON.parse(data)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

const request = (params: Asked): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(params),
})
