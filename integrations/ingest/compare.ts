import type { Client } from '../../src/client.ts'
import type { Memory } from '../../src/contract/memory.ts'
import { LOADED, PRUNED, readMark, sectionDigest } from './marks.ts'
import type { TextSection } from './sections.ts'

/** A memory that an earlier run made, as far as a run needs to know it. */
export type Known = Pick<Memory, 'id' | 'version' | 'metadata'> &
  NonNullable<ReturnType<typeof readMark>> & { archived: boolean; heading: string }

/** What a file asks for, compared with what is there. */
export type Difference = {
  unchanged: number
  created: TextSection[]
  updated: { known: Known; section: TextSection }[]
  gone: Known[]
}

/** All memories that were loaded from files, by the file. Oldest first, so that what is written in the meantime is seen. */
export async function knownMemories(client: Client, signal: AbortSignal): Promise<Map<string, Known[]>> {
  const known: Known[] = []
  let cursor: string | undefined
  do {
    const page = await client.listMemories(
      { metadata: LOADED, include_archived: true, order: 'asc', limit: 200, ...(cursor ? { cursor } : {}) },
      { signal },
    )
    known.push(...page.memories.flatMap(asKnown))
    cursor = page.next_cursor ?? undefined
  } while (cursor)
  return Map.groupBy(known, ({ file }) => file)
}

function asKnown(memory: Memory): Known[] {
  const { id, version, state, content, metadata } = memory
  const mark = readMark(memory)
  const heading = content.split('\n', 1)[0] ?? ''
  return mark ? [{ id, version, metadata, ...mark, archived: state === 'archived', heading }] : []
}

/**
 * Sections that are there as they were loaded stay as they are, also when someone has changed or archived the memory
 * since. Of the others, those under the same heading are new versions of each other.
 */
export function compare(sections: readonly TextSection[], known: readonly Known[]): Difference {
  const left = new Set(known)
  const unmatched = sections.filter(section => {
    const loaded = sectionDigest(section)
    const same = known.find(each => each.section === loaded && left.has(each))
    return !(same && left.delete(same))
  })
  const updated: Difference['updated'] = []
  const created = unmatched.filter(section => {
    const former = known.find(
      each => each.heading === section.heading && !each.archived && each.section !== PRUNED && left.has(each),
    )
    if (former && left.delete(former)) updated.push({ known: former, section })
    return former === undefined
  })
  return {
    unchanged: sections.length - unmatched.length,
    created,
    updated,
    gone: [...left].filter(({ archived }) => !archived),
  }
}
