import type { Context } from '../../context.ts'
import { lockPresent } from '../neo4j/lock.ts'
import { int } from '../neo4j/statements.ts'

export type WriteOutcome = 'applied' | 'archived' | 'version_mismatch' | 'pinned_with_limit' | 'empty_span'

/** Locks what is still a memory: maintenance may have removed it. */
export const lockMemory = `${lockPresent('m')} AND m.removedBy IS NULL`

export const isUnexpected = '$expectedVersions IS NOT NULL AND NOT m.version IN $expectedVersions'

export const targetOf = (ctx: Context, id: string) => ({
  id,
  tenant: ctx.tenant,
  expectedVersions: ctx.expectedVersions?.map(int) ?? null,
})

/** Who makes a version. */
export const authorOf = ({ key }: Pick<Context, 'key'>) => key ?? null
