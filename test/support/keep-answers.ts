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
      .then(text => keepOutput(`${response.status} ${pathOf(response)} ${headersOf(response)} ${text}`))
      .catch(() => {})
  return response
}

/** Without the query: what the caller wrote there is not of the service. */
const pathOf = ({ url }: Response) => url.split('?', 1)[0]

const headersOf = ({ headers }: Response) => JSON.stringify(Object.fromEntries(headers))

// The files of one worker share their globals.
if (!(KEPT in plain)) globalThis.fetch = Object.assign(keeping, { [KEPT]: true })
