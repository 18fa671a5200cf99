import { existsSync } from 'node:fs'
import { readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { readLines } from './lines.ts'

/** The partial file of an export. Its name lies next to it, so that no other export resumes it. */
export type Progress = { cursor: string | undefined; lines: number }

/** Whether something is there that is not known to be of this export. */
export async function isOfAnother(partial: string, of: string): Promise<boolean> {
  const name = await readName(partial)
  return name !== undefined && name !== of
}

/** The last checkpoint of what is there of this export; what follows it is cut away. What is of another stays. */
export async function takeUp(partial: string, of: string): Promise<Progress> {
  const kept = { cursor: undefined as string | undefined, lines: 0, end: 0 }
  if ((await readName(partial)) !== of) return kept
  let lines = 0
  for await (const { text, end } of readLines(partial)) {
    lines += 1
    if (text.startsWith(CHECKPOINT) && text.endsWith('}'))
      Object.assign(kept, { cursor: (JSON.parse(text) as { cursor: string }).cursor, lines, end })
  }
  await truncate(partial, kept.end)
  return kept
}

const CHECKPOINT = '{"section":"checkpoint"'

/** Begins with nothing. It is named while nothing is there that the name could be wrong for. */
export async function startPartial(partial: string, of: string): Promise<void> {
  await rm(partial, { force: true })
  await writeFile(nameFileOf(partial), of)
}

/** Removes its name: no export resumes it. */
export const disown = (partial: string) => rm(nameFileOf(partial), { force: true })

/** Moves the complete file to its path. */
export async function finish(partial: string, path: string): Promise<void> {
  await rename(partial, path)
  await disown(partial)
}

/** Of which export it is: undefined where nothing is there, empty where that is not known. */
const readName = async (partial: string) =>
  existsSync(partial) ? await readFile(nameFileOf(partial), 'utf8').catch(() => '') : undefined

const nameFileOf = (partial: string) => `${partial}.of`
