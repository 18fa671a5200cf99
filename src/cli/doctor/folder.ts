import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isLoopback } from '../../platform/config.ts'
import { readSettings } from '../../store/neo4j/inspection.ts'
import type { ExaminedDatabase } from './database.ts'

const DATA = 'server.directories.data'

/** Where Neo4j keeps this database, when that can be seen from here. */
export async function folderOf({ caller, uri, neo4j }: ExaminedDatabase): Promise<string | undefined> {
  if (!isLoopback(URL.parse(uri)?.hostname ?? '')) return undefined
  const data = (await readSettings(caller(), [DATA]).catch(() => undefined))?.get(DATA)
  if (data === undefined) return undefined
  const folder = join(data, 'databases', neo4j.database)
  const isThere = await stat(folder).then(
    found => found.isDirectory(),
    () => false,
  )
  return isThere ? folder : undefined
}
