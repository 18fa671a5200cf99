import { hash } from 'node:crypto'
import type { Memory } from '../../contract/memories.ts'
import type { SourceFile } from './files.ts'
import type { TextSection } from './sections.ts'

/**
 * The origin of a memory is kept in its tags, and nowhere else: the write that makes the memory makes the
 * record of it too. So there is no moment between the two in which a run can be killed, nothing to lose with a data
 * folder, and a run from another machine sees the same.
 */

/** On every memory that was loaded from a file. */
export const LOADED = 'ingested'

/** Digests of the folder that was named, the file and the content as it was loaded. */
export type Mark = { root: string; file: string; section: string }

const PATTERN = /^ingested:([0-9a-f]{8}):([0-9a-f]{16}):([0-9a-f]{16}|pruned)$/

export const rootDigest = (root: string) => digest(root, 8)
export const fileDigest = (identity: string) => digest(identity, 16)
export const sectionDigest = ({ content }: TextSection) => digest(content, 16)

export const markTag = ({ root, file, section }: Mark) => `ingested:${root}:${file}:${section}`

export const markOf = (file: SourceFile, section: TextSection): Mark => ({
  root: rootDigest(file.root),
  file: fileDigest(file.identity),
  section: sectionDigest(section),
})

export function readMark({ tags }: Pick<Memory, 'tags'>): Mark | undefined {
  for (const tag of tags) {
    const [, root, file, section] = PATTERN.exec(tag) ?? []
    if (root && file && section) return { root, file, section }
  }
  return undefined
}

/** The tags of a memory whose section is gone from its file. */
export function prunedMark({ tags }: Pick<Memory, 'tags'>): string[] {
  const mark = readMark({ tags })
  const others = tags.filter(tag => !PATTERN.test(tag))
  return mark ? [...others, markTag({ ...mark, section: 'pruned' })] : others
}

/** Tags as people gave them, without those that only mark its origin. */
export const plainTags = ({ tags }: Pick<Memory, 'tags'>) =>
  tags.filter(tag => tag !== LOADED && !PATTERN.test(tag))

export const digest = (text: string, characters = 64) => hash('sha256', text).slice(0, characters)
