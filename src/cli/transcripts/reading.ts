import { itemsIn, objectOf } from '../importers/json.ts'
import { readTextOf } from '../importers/values.ts'

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

/** A place that cannot be read, and why. */
export type Damage = { readonly place: string; readonly reason: string }

export type ReadTurns = { readonly turns: FoundTurn[]; readonly damaged: Damage[] }

export type Transcript = ReadTurns & { readonly host: Host }

export type Host = 'claude-code' | 'codex' | 'chatgpt' | 'claude' | 'gemini'

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

/** What each item of a file has, in their order. `place` names the item for people. */
export function readAll<Item>(
  items: readonly Item[],
  read: (item: Item, place: string) => readonly (FoundTurn | Damage)[],
  placeOf: (item: Item, at: number) => string = (_, at) => `entry ${at + 1}`,
): ReadTurns {
  const all = items.flatMap((item, at) => read(item, placeOf(item, at)))
  return {
    turns: all.filter(each => 'text' in each),
    damaged: all.filter(each => 'reason' in each),
  }
}

/** A message that says nothing in a form that is known is left out; any other is reported. */
export const unknownContent = (place: string, types: readonly unknown[], silent: readonly string[]) =>
  types
    .filter(type => typeof type === 'string' && !silent.includes(type))
    .slice(0, 1)
    .map((type): Damage => ({ place, reason: `has the unknown content \`${String(type).slice(0, 100)}\`` }))

/** The last part of a path of any system. */
export const folderName = (path: unknown): string | undefined =>
  readTextOf(path)
    ?.split(/[\\/]/)
    .findLast(part => part !== '')
