import { keepOutput } from './output.ts'

const KEPT = Symbol.for('mnemograph.answers-are-kept')
const plain = globalThis.fetch

/** Keeps each answer that is a failure, for the search at the end of the run. The caller reads it as ever. */
async function keeping(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await plain(...request)
  const isText = /json|text/.test(response.headers.get('content-type') ?? '')
  if (!response.ok && isText && response.body !== null)
    void response
      .clone()
      .text()
      .then(text => keepOutput(`${response.status} ${response.url} ${headersOf(response)} ${text}`))
      .catch(() => {})
  return response
}

const headersOf = ({ headers }: Response) => JSON.stringify(Object.fromEntries(headers))

// The files of one worker share their globals.
if (!(KEPT in plain)) globalThis.fetch = Object.assign(keeping, { [KEPT]: true })
