import type { Context } from '../../context.ts'
import { lockPresent } from '../neo4j/lock.ts'

/** Locks what is still a memory: maintenance may have removed it. */
export const lockMemory = `${lockPresent('m')} AND m.removedBy IS NULL`

/** Who makes a version. */
export const authorOf = ({ key }: Pick<Context, 'key'>) => key ?? null
