import type { Connection } from '../../../contract/connections.ts'
import type { Memory } from '../../../contract/memories.ts'

/** What of a memory and of a connection is exported: the graph's names and types, as docs/graph-model.md has them. */

export type Value = string | number | readonly string[] | null
export type Column<Of> = {
  readonly name: string
  readonly type: 'string' | 'integer' | 'float' | 'time' | 'strings'
  readonly of: (each: Of) => Value
}

export const nodeColumns = (tenant: string): readonly Column<Memory>[] => [
  { name: 'id', type: 'string', of: m => m.id },
  { name: 'tenant', type: 'string', of: () => tenant },
  { name: 'content', type: 'string', of: m => m.content },
  { name: 'policy', type: 'string', of: m => m.policy },
  { name: 'tags', type: 'strings', of: m => m.tags },
  { name: 'importance', type: 'float', of: m => m.importance },
  { name: 'state', type: 'string', of: m => m.state },
  { name: 'health', type: 'float', of: m => m.health },
  { name: 'ttlSeconds', type: 'integer', of: m => m.ttl_seconds },
  { name: 'expiresAt', type: 'time', of: m => m.expires_at },
  { name: 'archivedAt', type: 'time', of: m => m.archived_at },
  { name: 'createdAt', type: 'time', of: m => m.created_at },
  { name: 'updatedAt', type: 'time', of: m => m.updated_at },
  { name: 'lastRecalledAt', type: 'time', of: m => m.last_recalled_at },
  { name: 'recallCount', type: 'integer', of: m => m.recall_count },
  { name: 'version', type: 'integer', of: m => m.version },
]

export const edgeColumns = (tenant: string): readonly Column<Connection>[] => [
  { name: 'key', type: 'string', of: r => `${r.source_id}:${r.connection.target_id}` },
  { name: 'tenant', type: 'string', of: () => tenant },
  { name: 'strength', type: 'float', of: r => r.connection.strength },
  { name: 'createdAt', type: 'time', of: r => r.connection.created_at },
  { name: 'origin', type: 'string', of: r => r.connection.origin },
  { name: 'model', type: 'string', of: r => r.connection.model },
  { name: 'threshold', type: 'float', of: r => r.connection.threshold },
]

/** The type of a connection as the graph names it. */
export const typeOf = ({ connection }: Connection) => connection.relationship_type.toUpperCase()
