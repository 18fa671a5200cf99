import type { Context } from '../../context.ts'
import { lockPresent } from '../neo4j/lock.ts'
import { int } from '../neo4j/statements.ts'

/** Locks what is still a memory: maintenance may have removed it. */
export const lockMemory = `${lockPresent('m')} AND m.removedBy IS NULL`

export const isUnexpected = '$by.expectedVersions IS NOT NULL AND NOT m.version IN $by.expectedVersions'

export const targetOf = (ctx: Context, id: string) => ({
  id,
  tenant: ctx.tenant,
  by: writerOf(ctx),
})

/**
 * Who writes, which versions they expect, and how many earlier ones are kept; the first two can be null. Neo4j plans a statement again for each parameter that is null
 * at one time and not at another, but not for what is in a map.
 */
export const writerOf = (ctx: Pick<Context, 'app' | 'key' | 'expectedVersions'>) => ({
  author: authorOf(ctx),
  expectedVersions: ctx.expectedVersions?.map(int) ?? null,
  keptVersions: int(ctx.app.config.historyVersions),
})

/** Who makes a version. */
export const authorOf = ({ key }: Pick<Context, 'key'>) => key ?? null
