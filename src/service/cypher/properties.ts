import { storedConnectionFields } from '../../store/connections/fields.ts'
import { memoryFields } from '../../store/memories/fields.ts'
import type { GraphKind } from './kinds.ts'

const propertiesOf = (fields: Readonly<Record<string, { readonly property: string }>>) =>
  Object.values(fields).map(({ property }) => property)

/** The properties that are documented as stable, besides the tenant. */
const shown = {
  Memory: [...propertiesOf(memoryFields), 'rank', 'degree'],
  Recall: ['memoryId', 'at'],
  connection: propertiesOf(storedConnectionFields),
} as const

const shownOf = (kind: GraphKind): readonly string[] => shown[kind.is === 'node' ? kind.label : 'connection']

/** Names that operators may give to properties of their own. */
const OPERATORS = 'x_'

export const isPublic = (kind: GraphKind, name: string) =>
  shownOf(kind).includes(name) || /^x_\w{1,100}$/.test(name)

/** Texts of any length. */
export const isLong = (name: string) =>
  ['content', 'metadata', 'reason'].includes(name) || name.startsWith(OPERATORS)

/** All of them, as a map projection names them. */
export const allShown = (kind: GraphKind) =>
  shownOf(kind)
    .map(name => `.${name}`)
    .join(', ')

/** The names of those that it has. */
export const keysShown = (text: string, kind: GraphKind, each: string) =>
  `[${each} IN keys(${text}) WHERE ${each} IN [${shownOf(kind)
    .map(name => `'${name}'`)
    .join(', ')}] OR ${each} STARTS WITH '${OPERATORS}']`
