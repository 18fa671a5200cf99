import { readFile } from 'node:fs/promises'
import type { Client } from '../../src/client.ts'
import { compare, type Known, knownMemories } from './compare.ts'
import type { SourceFile } from './files.ts'
import { fileDigest, rootDigest } from './marks.ts'
import { cut } from './sections.ts'
import { create, type LoadOptions, type LoadRun, type LoadTotals, retire, update } from './write.ts'

const FILES_AT_A_TIME = 4

/** Creates and updates the memories of these files. Running it again, also after a crash, changes nothing more. */
export async function loadFiles(
  client: Client,
  files: readonly SourceFile[],
  options: LoadOptions,
): Promise<LoadTotals> {
  const failed = new AbortController()
  const signal = AbortSignal.any([options.signal, failed.signal])
  const run: LoadRun = { client, options: { ...options, signal }, totals: nothing() }
  const known = await knownMemories(client, signal)
  const queue = files.values()
  const loadNext = async () => {
    for (const file of queue) await loadFile(run, file, known.get(fileDigest(file.identity)) ?? [])
  }
  const loaders = Array.from({ length: FILES_AT_A_TIME }, loadNext)
  await Promise.all(loaders).catch((error: unknown) => {
    failed.abort()
    throw error
  })
  await retire(run, membersOfLostFiles(options.roots, files, known))
  return run.totals
}

const nothing = (): LoadTotals => ({
  files: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  archived: 0,
  left: 0,
  conflicts: 0,
  unreadable: [],
})

async function loadFile(run: LoadRun, file: SourceFile, known: readonly Known[]) {
  const { totals, options } = run
  const text = await readText(file.path).catch((error: Error) => {
    totals.unreadable.push({ file: file.name, reason: error.message })
  })
  if (text === undefined) return
  const { created, updated, unchanged, gone } = compare(cut(file, text), known)
  await create(run, file, created, known)
  await update(run, file, updated)
  await retire(run, gone)
  totals.unchanged += unchanged
  totals.files += 1
  options.onProgress?.(totals)
}

/** @throws Error with the reason if the file is not text */
async function readText(path: string): Promise<string> {
  const bytes = await readFile(path)
  if (bytes.includes(0)) throw new Error('it is not a text')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new Error('it is not in UTF-8', { cause })
  }
}

/** The memories of files that stood in the named folders in an earlier run and are there no more. */
function membersOfLostFiles(
  folders: readonly string[],
  files: readonly SourceFile[],
  known: ReadonlyMap<string, Known[]>,
): Known[] {
  const roots = new Set(folders.map(rootDigest))
  const present = new Set(files.map(({ identity }) => fileDigest(identity)))
  return [...known]
    .filter(([file]) => !present.has(file))
    .flatMap(([, members]) => members.filter(({ root, archived }) => roots.has(root) && !archived))
}
