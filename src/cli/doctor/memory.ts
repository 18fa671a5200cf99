import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { countGraph, readMemory, readSettings } from '../../store/neo4j/inspection.ts'
import type { ExaminedDatabase } from './database.ts'
import { folderOf } from './disk.ts'
import { type Report, sizeOf } from './finding.ts'

const PAGE_CACHE = 'server.memory.pagecache.size'
const MB = 1024 ** 2
/** With less the queries of a service with many callers fail for want of transaction memory. */
const SMALLEST_HEAP = 450 * MB

/** Heap and page cache of Neo4j against its machine and, where the files can be seen from here, against its store. */
export async function examineMemory(database: ExaminedDatabase, report: Report) {
  const { caller } = database
  const memory = await readMemory(caller()).catch(() => undefined)
  if (!memory) {
    report.skipped('this Neo4j does not report its memory')
    return undefined
  }
  const settings = await readSettings(caller(), [PAGE_CACHE]).catch(() => undefined)
  const { nodes, relationships } = await countGraph(caller())
  const pageCache = bytesOf(settings?.get(PAGE_CACHE))
  const folder = await folderOf(database)
  const store = folder === undefined ? undefined : await measure(folder)
  checkSizes({ ...memory, pageCache, store }, report)
  return [
    `heap ${sizeOf(memory.heap)}`,
    `page cache ${pageCache === undefined ? 'as Neo4j chooses' : sizeOf(pageCache)}`,
    `machine ${sizeOf(memory.machine)}`,
    `${nodes} nodes and ${relationships} relationships`,
    ...(store ? [`store ${sizeOf(store.paged)}, text and vector indexes ${sizeOf(store.lucene)}`] : []),
  ].join(', ')
}

type Sizes = {
  heap: number
  machine: number
  pageCache: number | undefined
  /** `paged` is read through the page cache; `lucene`, the text and vector indexes, through that of the system. */
  store: { paged: number; lucene: number } | undefined
}

function checkSizes({ heap, machine, pageCache, store }: Sizes, { warning }: Report) {
  const used = heap + (pageCache ?? 0)
  if (heap < SMALLEST_HEAP)
    warning(
      `the heap is ${sizeOf(heap)}`,
      'Set server.memory.heap.max_size to 1g or more, and restart Neo4j.',
    )
  if (used > 0.9 * machine)
    warning(
      `heap and page cache together are ${sizeOf(used)}, of ${sizeOf(machine)} that the machine has`,
      'Lower server.memory.heap.max_size or server.memory.pagecache.size, or give it more memory: it may be killed.',
    )
  if (store && pageCache !== undefined && store.paged > pageCache)
    warning(
      `the store has ${sizeOf(store.paged)}, the page cache ${sizeOf(pageCache)}`,
      `Set ${PAGE_CACHE} to ${sizeOf(1.2 * store.paged)} or more: what does not fit is read from the disk.`,
    )
  if (store && store.lucene > machine - used)
    warning(
      `the text and vector indexes have ${sizeOf(store.lucene)}, next to heap and page cache ${sizeOf(Math.max(0, machine - used))} are left`,
      'Give the machine more memory: searches read what does not fit from the disk.',
    )
}

async function measure(folder: string): Promise<{ paged: number; lucene: number }> {
  const sizes = { paged: 0, lucene: 0 }
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const isLucene = /[\\/]index[\\/](vector|fulltext)/.test(path)
    // A file may go while the database works.
    sizes[isLucene ? 'lucene' : 'paged'] += (await stat(path).catch(() => undefined))?.size ?? 0
  }
  return sizes
}

/** A size as Neo4j writes it, for instance `256.00MiB` or `1g`. */
function bytesOf(text: string | undefined): number | undefined {
  const [, amount, unit = ''] = /^([\d.]+)\s*([kmgt]?)(?:i?b)?$/i.exec(text ?? '') ?? []
  if (amount === undefined) return undefined
  return Number(amount) * 1024 ** ['', 'k', 'm', 'g', 't'].indexOf(unit.toLowerCase())
}
