import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Memory } from '../../contract/memory.ts'
import type { Metadata } from '../../contract/values.ts'
import type { SourceFile } from './files.ts'
import type { TextSection } from './sections.ts'

/**
 * Where a memory comes from is kept in its own fields, and nowhere else: the write that makes the memory makes the
 * record of it too. So there is no moment between the two in which a run can be killed, nothing to lose with a data
 * folder, and a run from another machine sees the same.
 */

/** On every memory that was loaded from a file. */
export const LOADED = { ingested: true }

/** Digests of the folder that was named, the file and the content as it was loaded. */
export type Mark = { root: string; file: string; section: string }

const digests = z.object({
  ingested_folder: z.string(),
  ingested_file: z.string(),
  ingested_content: z.string(),
})

/** What a mark says once the section is gone from its file. */
export const PRUNED = 'pruned'

export const rootDigest = (root: string) => digest(root, 8)
export const fileDigest = (identity: string) => digest(identity, 16)
export const sectionDigest = ({ content }: TextSection) => digest(content, 16)

const LONGEST = { source: 2_048, session: 200, heading: 500 }

/** A file is the source and the session of its sections. */
export function originOf(file: SourceFile, section: TextSection) {
  const metadata: Metadata = {
    section: Array.from(section.heading).slice(0, LONGEST.heading).join(''),
    ...LOADED,
    ingested_folder: rootDigest(file.root),
    ingested_file: fileDigest(file.identity),
    ingested_content: sectionDigest(section),
  }
  return {
    source: end(file.identity, LONGEST.source),
    session_id: end(file.identity, LONGEST.session),
    metadata,
  }
}

const end = (text: string, most: number) => Array.from(text.toWellFormed()).slice(-most).join('').trim()

export function readMark({ metadata }: Pick<Memory, 'metadata'>): Mark | undefined {
  const { data } = digests.safeParse(metadata)
  return data && { root: data.ingested_folder, file: data.ingested_file, section: data.ingested_content }
}

/** The metadata of a memory whose section is gone from its file. */
export const prunedMetadata = ({ metadata }: Pick<Memory, 'metadata'>): Metadata => ({
  ...metadata,
  ingested_content: PRUNED,
})

export const digest = (text: string, characters = 64) => hash('sha256', text).slice(0, characters)
