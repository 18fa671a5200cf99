import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { getMemories } from '../../store/memories/get.ts'
import { readAsIs } from '../../store/neo4j/statements.ts'

export type { Step } from '../../store/graph/crossings.ts'

/** Runs a read that the GraphQL library wrote, within the time of the request and the share of its tenant. */
export const runRead = (ctx: Context, text: string, parameters: Record<string, unknown>) =>
  readAsIs<Record<string, unknown>>(ctx, text, parameters)

/** The memories of the tenant that have these ids, archived ones too; a missing one is left out. Records no recall. */
export const memoriesById = (ctx: Context, ids: readonly string[]): Promise<Map<string, Memory>> =>
  getMemories(ctx, ids)
