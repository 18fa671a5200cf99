import type { LineOf } from '../../contract/bundle.ts'
import type { Memory, NewMemory } from '../../contract/memory.ts'
import { int, time } from '../neo4j/statements.ts'

/** How the graph keeps a value, and how an answer shows it: a time as text, `json` (which the graph keeps as text) as its value, all else as it is. */
export type FieldKind = 'string' | 'strings' | 'integer' | 'float' | 'time' | 'json'

export type StoredField = { readonly property: string; readonly kind: FieldKind }

/**
 * The fields of a memory by the contract's names, in the order in which answers, bundles and exports have them. What
 * reads, exports and imports memories follows from this table: a field that the contract has and this lacks does not
 * compile. The embedding is no property: it depends on the space.
 */
export const memoryFields = {
  id: { property: 'id', kind: 'string' },
  content: { property: 'content', kind: 'string' },
  policy: { property: 'policy', kind: 'string' },
  ttl_seconds: { property: 'ttlSeconds', kind: 'integer' },
  tags: { property: 'tags', kind: 'strings' },
  importance: { property: 'importance', kind: 'float' },
  source: { property: 'source', kind: 'string' },
  session_id: { property: 'sessionId', kind: 'string' },
  speaker: { property: 'speaker', kind: 'string' },
  kind: { property: 'kind', kind: 'string' },
  metadata: { property: 'metadata', kind: 'json' },
  valid_from: { property: 'validFrom', kind: 'time' },
  valid_until: { property: 'validUntil', kind: 'time' },
  sensitive: { property: 'sensitive', kind: 'strings' },
  state: { property: 'state', kind: 'string' },
  health: { property: 'health', kind: 'float' },
  recall_count: { property: 'recallCount', kind: 'integer' },
  last_recalled_at: { property: 'lastRecalledAt', kind: 'time' },
  expires_at: { property: 'expiresAt', kind: 'time' },
  archived_at: { property: 'archivedAt', kind: 'time' },
  archived_reason: { property: 'archivedReason', kind: 'string' },
  created_at: { property: 'createdAt', kind: 'time' },
  updated_at: { property: 'updatedAt', kind: 'time' },
  version: { property: 'version', kind: 'integer' },
  community: { property: 'community', kind: 'string' },
  owner: { property: 'owner', kind: 'string' },
} as const satisfies Record<Exclude<keyof Memory, 'embedding'>, StoredField>

const { owner: _ofTenant, ...carriedFields } = memoryFields

/** What a bundle has of a memory: its fields, who made its version and why, and what maintenance has accounted for. The owner follows from the tenant. */
export const bundledFields = {
  ...carriedFields,
  author: { property: 'author', kind: 'string' },
  reason: { property: 'reason', kind: 'string' },
  maintained_at: { property: 'maintainedAt', kind: 'time' },
  importance_since: { property: 'importanceSince', kind: 'time' },
} as const satisfies Record<Exclude<keyof LineOf<'memories'>, 'section' | 'recalls'>, StoredField>

/** What callers give, when they create a memory or change it. */
type NewFields = Omit<NewMemory, 'on_duplicate' | 'supersedes'>
export type GivenFields = { readonly [Name in keyof NewFields]?: NewFields[Name] | undefined }

type FieldName = keyof typeof bundledFields

/** Values by the contract's names as properties of the graph. What is undefined is left out. */
export const propertiesOf = (values: Partial<Record<FieldName, unknown>>) =>
  propertiesIn(bundledFields, values)

/** The same as a list, with the contract's names. */
export const namedProperties = (values: Partial<Record<FieldName, unknown>>) => namedIn(bundledFields, values)

export const propertiesIn = <Name extends string>(
  fields: Readonly<Record<Name, StoredField>>,
  values: Partial<Record<Name, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(namedIn(fields, values).map(({ property, value }) => [property, value]))

function namedIn<Name extends string>(
  fields: Readonly<Record<Name, StoredField>>,
  values: Partial<Record<Name, unknown>>,
) {
  const names = Object.keys(values) as Name[]
  return names
    .filter(name => values[name] !== undefined)
    .map(name => {
      const { property, kind } = fields[name]
      return { name, property, value: toGraph(kind, values[name]) }
    })
}

function toGraph(kind: FieldKind, value: unknown): unknown {
  if (value === null) return null
  if (kind === 'integer') return int(value as number)
  if (kind === 'json') return JSON.stringify(value)
  return kind === 'time' ? time(Date.parse(value as string)) : value
}
