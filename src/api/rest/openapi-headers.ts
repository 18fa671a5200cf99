import { waitSeconds } from '../../contract/memory.ts'
import type { Route } from '../../contract/route.ts'
import { BOOKMARK_HEADER } from '../../service/bookmarks.ts'

type Json = Record<string, unknown>

/** Says that the recalls of an answer are recorded later. */
export const RECALL_HEADER = 'X-Recall'

/** The headers that a request of a route can have. */
export function headersOf(route: Route): Json[] {
  const header = (name: string, description: string, schema: Json) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema,
  })
  return [
    ...(route.scope === 'open'
      ? []
      : [
          header(
            'X-Tenant-Id',
            'The tenant of the request, or the private memories of an owner, such as platform-team~anna. Only the operator key can choose any.',
            {
              type: 'string',
              pattern: '^[a-z0-9_-]{1,64}(?:~[a-z0-9_-]{1,64})?$',
              examples: ['platform-team'],
            },
          ),
          header(
            BOOKMARK_HEADER,
            'For a Neo4j cluster: the same header of the response to a write. The request sees at least that write, whichever process answers it.',
            { type: 'string', examples: ['WyJGQjprY3dRIl0.k3X…'] },
          ),
        ]),
    ...(route.creates
      ? [
          header(
            'Idempotency-Key',
            'A value that you choose for each new request. For 24 hours, a repeated request with the same value returns the first response.',
            { type: 'string', pattern: '^[!-~]{1,255}$', examples: ['deploy-rule-2026-11-20'] },
          ),
        ]
      : []),
    ...(route.waits
      ? [
          header('Prefer', `\`wait=N\`: ${waitSeconds.description}`, {
            type: 'string',
            examples: ['wait=5'],
          }),
        ]
      : []),
    ...(route.precondition
      ? [
          header(route.precondition, preconditions[route.precondition], {
            type: 'string',
            examples: ['"1"'],
          }),
        ]
      : []),
  ]
}

const preconditions = {
  'If-Match': 'The `ETag` of the memory. The request fails if the memory has changed since.',
  'If-None-Match': 'The `ETag` of the memory. The response has no body if the memory has not changed since.',
}
