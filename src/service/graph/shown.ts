import type { Memory } from '../../contract/memory.ts'

export type ArchivedShown = { includeArchived: boolean }

/** Whether a memory shows in answers of the graph: an expired one never, an archived one where that is asked for. */
export const isShown = (
  { state, expires_at }: Pick<Memory, 'state' | 'expires_at'>,
  { includeArchived }: ArchivedShown,
  now = Date.now(),
): boolean => (state === 'archived' ? includeArchived : expires_at === null || Date.parse(expires_at) > now)
