import type { GraphiQLProps } from 'graphiql'
import { call } from '../shared/ask.ts'

type Fetcher = NonNullable<GraphiQLProps['fetcher']>

/** Asks `/graphql` with the key of this session; `refused` hears why a key did not do. */
export const createFetcher = (refused: (why: string) => void): Fetcher =>
  async function fetcher(params) {
    const response = await call('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    })
    const answer = await response.json()
    if (response.status === 401) refused(answer.detail)
    return answer
  }
