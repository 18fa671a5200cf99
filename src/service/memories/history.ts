import type { MemorySnapshot } from '../../contract/history.ts'
import { ServiceError } from '../../contract/problems.ts'
import { readVersions } from '../../store/memories/history.ts'
import type { Handler } from '../handler.ts'
import { checkPolicies } from '../lifecycle/policies.ts'
import { applyUpdate, changedContent, notFound } from './memories.ts'
import { markedPlaces, withMarks } from './secrets.ts'

/** Reads one version more than is returned: the last one is compared with it. */
export const getMemoryHistory: Handler<'getMemoryHistory'> = async (ctx, { id, limit, before_version }) => {
  const found = await readVersions(ctx, id, { before: before_version, limit: limit + 1 })
  if (!found) return notFound(id)
  const versions = found.slice(0, limit).map((version, at) => ({
    ...version,
    changed: changedFields(found[at + 1]?.memory, version.memory),
  }))
  return { memory_id: id, versions, has_more: found.length > limit }
}

function changedFields(before: MemorySnapshot | undefined, after: MemorySnapshot): string[] {
  if (!before) return []
  const names = Object.keys(after) as (keyof MemorySnapshot)[]
  return names.filter(name => canonical(before[name]) !== canonical(after[name]))
}

/** Objects in the order of their keys. */
const canonical = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) =>
    each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )

export const revertMemory: Handler<'revertMemory'> = async (ctx, { id, version }) => {
  const found = await readVersions(ctx, id, { before: version + 1, limit: 1 })
  if (!found) return notFound(id)
  const [wanted] = found
  if (wanted?.version !== version)
    throw new ServiceError('version_not_found', `No version ${version} of the memory ${id} is kept.`)
  const [marked] = await withMarks(ctx, [wanted.memory], () => '')
  const { sensitive, ...earlier } = marked as MemorySnapshot & { sensitive: string[] }
  const { content, ttl_seconds: ttlSeconds, state: _state, archived_reason, ...rest } = earlier
  // Its supersession ended the validity; a revert leaves the memory active.
  const isEnded = archived_reason === 'superseded' && rest.valid_until === wanted.at
  const given = isEnded ? { ...rest, valid_until: null } : rest
  await checkPolicies(ctx, [{ policy: given.policy, ttl_seconds: ttlSeconds }], () => '')
  const changes = {
    content: await changedContent(ctx, id, content),
    ttlSeconds,
    given,
    marks: { found: sensitive, places: [...markedPlaces(earlier), 'source'] },
    reason: `reverted to version ${version}`,
  }
  return applyUpdate(ctx, id, changes)
}
