import { z } from 'zod'
import { type BundleSection, type Sums, sections } from '../../contract/bundle.ts'
import { chain, EMPTY } from '../../platform/digest.ts'

const sum = z.object({ count: z.int(), sha256: z.string() })

/** How many lines each section has so far, and their digest. */
export const sumsSchema = z.object({
  policies: sum,
  memories: sum,
  vectors: sum,
  versions: sum,
  connections: sum,
  earlier_connections: sum,
  rejections: sum,
})

export const noSums = (): Sums => ({
  policies: { count: 0, sha256: EMPTY },
  memories: { count: 0, sha256: EMPTY },
  vectors: { count: 0, sha256: EMPTY },
  versions: { count: 0, sha256: EMPTY },
  connections: { count: 0, sha256: EMPTY },
  earlier_connections: { count: 0, sha256: EMPTY },
  rejections: { count: 0, sha256: EMPTY },
})

/** Counts a line in, if it is of a section that is counted. */
export function addLine(sums: Sums, section: string, text: string) {
  if (!isCounted(section)) return
  const { count, sha256 } = sums[section]
  sums[section] = { count: count + 1, sha256: chain(sha256, text) }
}

const isCounted = (section: string): section is BundleSection =>
  (sections as readonly string[]).includes(section)

/** The first section that differs. */
export const differing = (said: Sums, found: Sums): BundleSection | undefined =>
  sections.find(name => said[name].count !== found[name].count || said[name].sha256 !== found[name].sha256)
