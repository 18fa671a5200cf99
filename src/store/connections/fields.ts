import type { z } from 'zod'
import type { connectionFields as answered } from '../../contract/connections.ts'
import { propertiesIn, type StoredField } from '../memories/fields.ts'

/**
 * The fields of a connection besides its ends and its type, by the contract's names, in the order in which answers and
 * bundles have them. What reads, keeps, copies, exports and imports connections follows from this table.
 */
export const storedConnectionFields = {
  strength: { property: 'strength', kind: 'float' },
  created_at: { property: 'createdAt', kind: 'time' },
  origin: { property: 'origin', kind: 'string' },
  model: { property: 'model', kind: 'string' },
  threshold: { property: 'threshold', kind: 'float' },
  reason: { property: 'reason', kind: 'string' },
  valid_from: { property: 'validFrom', kind: 'time' },
  valid_until: { property: 'validUntil', kind: 'time' },
} as const satisfies Record<
  Exclude<keyof z.infer<typeof answered>, 'target_id' | 'relationship_type'>,
  StoredField
>

type Name = keyof typeof storedConnectionFields

export const connectionFieldNames = Object.keys(storedConnectionFields) as Name[]

/** Values of a connection by the contract's names, as properties of the graph. What is undefined is left out. */
export const connectionProperties = (values: Partial<Record<Name, unknown>>) =>
  propertiesIn(storedConnectionFields, values)

/** The same of all fields. */
export const allConnectionProperties = (values: Record<Name, unknown>) =>
  connectionProperties(Object.fromEntries(connectionFieldNames.map(name => [name, values[name]])))

/** Makes a connection `r` one that somebody asserted: nothing of how it was discovered or copied stays. */
export const becomesAsserted = (r: string) => `SET ${r}.origin = 'asserted'
  REMOVE ${r}.model, ${r}.threshold, ${r}.judged, ${r}.copiedBy`

/** The entries of a map with all properties of a connection `r`, as another one or what is kept of it has them too. */
export const copiedProperties = (r: string) =>
  Object.values(storedConnectionFields)
    .map(({ property }) => `${property}: ${r}.${property}`)
    .join(', ')
