import type { Client } from '../../src/client.ts'
import type { RetryOptions } from '../../src/retry.ts'

export type LoadOptions = {
  policy: string
  ttlSeconds: number
  /** In addition to those of the path. */
  tags: readonly string[]
  /** The folders whose files these are. */
  roots: readonly string[]
  /** Archives the memories of sections and files that are gone. */
  prune: boolean
  dryRun: boolean
  onProgress?: (totals: LoadTotals) => void
} & RetryOptions

/** What a run did, or with `dryRun` would do. */
export type LoadTotals = {
  files: number
  created: number
  updated: number
  unchanged: number
  archived: number
  /** Gone from the files, and left as they are. */
  left: number
  /** Changed by someone else while they were to be written. */
  conflicts: number
  unreadable: { file: string; reason: string }[]
}

export type LoadRun = { client: Client; options: LoadOptions; totals: LoadTotals }
