import type { Connection } from '../../../contract/connections.ts'
import type { Memory } from '../../../contract/memory.ts'
import { connectionFieldNames, storedConnectionFields } from '../../../store/connections/fields.ts'
import { type FieldKind, memoryFields } from '../../../store/memories/fields.ts'

/** What of a memory and of a connection is exported: the graph's names and types, as docs/reference/graph-model.md has them. */

export type Value = string | number | readonly string[] | null
export type Column<Of> = {
  readonly name: string
  readonly type: FieldKind
  readonly of: (each: Of) => Value
}

export function nodeColumns(tenant: string): readonly Column<Memory>[] {
  const names = Object.keys(memoryFields) as (keyof typeof memoryFields)[]
  const [id, ...others] = names.map((name): Column<Memory> => {
    const { property, kind } = memoryFields[name]
    return { name: property, type: kind, of: memory => cellOf(memory[name]) }
  })
  const owner: Column<Memory> = { name: 'tenant', type: 'string', of: () => tenant }
  return [...(id ? [id] : []), owner, ...others]
}

/** An object is a JSON text, as in the graph. */
const cellOf = (value: Memory[keyof typeof memoryFields]): Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? JSON.stringify(value) : value

export const connectionColumns = (tenant: string): readonly Column<Connection>[] => [
  { name: 'key', type: 'string', of: r => `${tenant}:${r.source_id}:${r.connection.target_id}` },
  { name: 'tenant', type: 'string', of: () => tenant },
  ...connectionFieldNames.map((name): Column<Connection> => {
    const { property, kind } = storedConnectionFields[name]
    return { name: property, type: kind, of: ({ connection }) => connection[name] }
  }),
]

/** The type of a connection as the graph names it. */
export const columnType = ({ connection }: Connection) => connection.relationship_type.toUpperCase()
