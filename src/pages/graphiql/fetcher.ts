import type { GraphiQLProps } from 'graphiql'
import { type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql'
import { call, Refusal } from '../shared/ask.ts'
import { eventsOf } from '../shared/events.ts'

type Fetcher = NonNullable<GraphiQLProps['fetcher']>
type Asked = Parameters<Fetcher>[0]
type Known = NonNullable<Parameters<Fetcher>[1]>

/** Asks `/graphql` with the key of this session; `refused` hears why a key did not do. */
export const createFetcher = (refused: (why: string) => void): Fetcher =>
  function fetcher(params, options) {
    return subscribes(params, options) ? answersOf(params, refused) : answerOf(params, refused)
  }

const subscribes = ({ operationName }: Asked, { documentAST }: Known = {}) =>
  documentAST !== undefined &&
  getOperationAST(documentAST, operationName)?.operation === OperationTypeNode.SUBSCRIPTION

async function answerOf(params: Asked, refused: (why: string) => void) {
  const response = await call('/graphql', request(params))
  const answer = await response.json()
  if (response.status === 401) refused(answer.detail)
  return answer
}

/** By the graphql-sse protocol, until the server completes it or the reader has had enough. */
function answersOf(params: Asked, refused: (why: string) => void): AsyncGenerator<ExecutionResult> {
  const reading = new AbortController()
  const answers = readAnswers(params, refused, reading.signal)
  const end = answers.return.bind(answers)
  // One that waits for the next event does not hear by itself that nobody wants it any more.
  answers.return = value => {
    reading.abort()
    return end(value)
  }
  return answers
}

async function* readAnswers(params: Asked, refused: (why: string) => void, signal: AbortSignal) {
  try {
    for await (const { name, data } of eventsOf('/graphql', { ...request(params), signal })) {
      if (name === 'complete') return
      if (name === 'next') yield JSON.parse(data)
    }
  } catch (error) {
    if (signal.aborted) return
    if (error instanceof Refusal && error.status === 401) refused(error.message)
    throw error
  }
}

const request = (params: Asked): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(params),
})
