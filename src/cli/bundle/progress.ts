import { readFile, rm, stat } from 'node:fs/promises'
import { z } from 'zod'
import { ProblemError } from '../../client.ts'
import { jsonIn } from '../shell/command.ts'
import { writeWhole } from './write-whole.ts'

const progress = z.object({
  /** What is imported, and where to: another file or another target starts again. */
  of: z.string(),
  cursor: z.string(),
  end: z.int(),
  lines: z.int(),
  left_out: z.int(),
})

export type ProgressLine = z.infer<typeof progress>

const pathOf = (bundle: string) => `${bundle}.progress`

/** Names an import, so that its progress is known again. */
export async function progressFile(bundle: string, ...where: readonly string[]): Promise<string> {
  const { size, mtimeMs } = await stat(bundle)
  return JSON.stringify([size, mtimeMs, ...where])
}

/** How far an earlier run of the same import came. */
export async function readProgress(bundle: string, of: string): Promise<ProgressLine | undefined> {
  const text = await readFile(pathOf(bundle), 'utf8').catch(() => '')
  const kept = progress.safeParse(jsonIn(text)).data
  return kept?.of === of ? kept : undefined
}

/**
 * Keeps how far an import came. Where that cannot be kept, as in a folder that may only be read, the import need not end:
 * `onLoss` hears of it, once.
 */
export function progressKeeper(bundle: string, onLoss: (reason: string) => void) {
  let lost = false
  return (kept: ProgressLine): Promise<void> =>
    writeWhole(pathOf(bundle), JSON.stringify(kept)).catch((error: Error) => {
      if (!lost) onLoss(error.message)
      lost = true
    })
}

export const forgetProgress = (bundle: string) => rm(pathOf(bundle), { force: true })

/** Whether the service refuses to go on where an earlier run was. */
export const isStaleCursor = (error: unknown) =>
  error instanceof ProblemError && error.problem?.code === 'invalid_cursor'
