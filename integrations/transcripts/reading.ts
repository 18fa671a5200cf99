import type { LeftOutEntry } from '../reading/found.ts'
import { itemsIn, type JsonFields, objectOf } from '../reading/json.ts'
import { readTextOf } from '../reading/values.ts'

/** What one speaker said, as a transcript or an export has it. */
export type FoundTurn = {
  readonly session: string
  readonly speaker: string
  readonly text: string
  /** ISO 8601 */
  readonly time: string
  /** The name of the folder that the agent worked in. */
  readonly project?: string | undefined
}

/** A line of a transcript or an entry of an export, with its place for people. */
export type TranscriptEntry = { readonly value: JsonFields; readonly place: string }

/** What is read of entries, in their order. */
export type ReadEntries = (entries: readonly TranscriptEntry[]) => (FoundTurn | LeftOutEntry)[]

export const isUserOrAssistant = (role: unknown): role is 'user' | 'assistant' =>
  role === 'user' || role === 'assistant'

/** The texts of the parts of a message that are of these types. */
export const textsOfParts = (parts: unknown, types: readonly string[]): string[] =>
  itemsIn(parts)
    .map(objectOf)
    .filter(({ type }) => types.includes(String(type)))
    .flatMap(({ text }) => readTextOf(text) ?? [])

/** Texts as paragraphs of one; undefined if nothing is said in them. */
export const joined = (texts: readonly (string | undefined)[]): string | undefined =>
  texts.flatMap(text => readTextOf(text) ?? []).join('\n\n') || undefined

/** A message that says nothing in a form that is known is left out; any other is reported. */
export function unknownContent(place: string, types: readonly unknown[], silent: readonly string[]) {
  const type = types.filter(each => typeof each === 'string').find(each => !silent.includes(each))
  return type === undefined ? [] : [{ place, reason: `has the unknown content \`${type.slice(0, 100)}\`` }]
}

/** The last part of a path of any system. */
export const folderName = (path: unknown): string | undefined =>
  readTextOf(path)
    ?.split(/[\\/]/)
    .findLast(part => part !== '')
