import type { ProblemCode } from '../../contract/problem-codes.ts'

/** How an agent fixes a call that failed with this code. */
export const hints: Partial<Record<ProblemCode, string>> = {
  validation_failed: 'Fix the fields named above and call again.',
  memory_not_found: 'Take ids from compose_context, search_memories or list_memories; do not make them up.',
  connection_not_found: 'list_connections shows which connections there are, and their direction.',
  memory_archived: 'Call restore_memory first, or leave the memory archived.',
  invalid_cursor:
    'Send next_cursor unchanged, with the same filters and ordering, or start without a cursor.',
  embedding_unavailable: 'Search with search_type keyword, or try again later.',
  forbidden: 'The key of this connection does not allow it; ask the user for another one.',
  version_mismatch: 'Get the memory again, then decide whether the change is still right.',
  database_unavailable: 'Nothing was lost. Try again in a few seconds.',
  internal_error: 'Try again. If it still fails, give the user the request id.',
}
