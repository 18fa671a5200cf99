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

export type Transcript = { readonly host: Host; readonly turns: FoundTurn[]; readonly damaged: Damage[] }

export type Host = 'claude-code' | 'codex' | 'chatgpt' | 'claude' | 'gemini'

export type JsonObject = Readonly<Record<string, unknown>>

export const objectFrom = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

export const listFrom = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textFrom = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

/** A time in ISO 8601 from a text, or from seconds since 1970; undefined if it is none. */
export function timeFrom(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const time = new Date(typeof value === 'number' ? Math.round(value * 1000) : value)
  return Number.isNaN(time.getTime()) || time.getTime() < 0 ? undefined : time.toISOString()
}

/** The texts of the parts of a message that are text. */
export const textOfParts = (parts: unknown, types: readonly string[]): string | undefined =>
  textFrom(
    listFrom(parts)
      .map(objectFrom)
      .filter(({ type }) => types.includes(String(type)))
      .flatMap(({ text }) => textFrom(text) ?? [])
      .join('\n\n'),
  )

/** The last part of a path of any system. */
export const folderName = (path: unknown): string | undefined =>
  textFrom(path)
    ?.split(/[\\/]/)
    .findLast(part => part !== '')
