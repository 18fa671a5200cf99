import type { ProblemCode } from '../../contract/problems.ts'

/** How an agent mends a call that failed like this. */
export const hints: Partial<Record<ProblemCode, string>> = {
  validation_failed: 'Mend the fields named above and call again.',
  memory_not_found: 'Take ids from compose_context, search_memories or list_memories; do not make them up.',
  connection_not_found: 'list_connections shows which connections there are, and their direction.',
  memory_archived: 'Call restore_memory first, or leave the memory archived.',
  invalid_cursor:
    'Send next_cursor unchanged, with the same filters and ordering, or begin without a cursor.',
  embedding_unavailable: 'Search with search_type keyword, or try again later.',
  forbidden: 'The key of this connection does not allow it; ask the user for another one.',
  version_mismatch: 'Get the memory again and decide anew.',
  database_unavailable: 'Nothing was lost. Try again in a few seconds.',
  internal_error: 'Trying again may help; if not, tell the user the request id.',
}
