import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Config, isLoopback } from '../../platform/config.ts'
import { readSettings } from '../../store/neo4j/inspection.ts'
import type { ExaminedDatabase } from './database.ts'
import { type Report, sizeOf } from './finding.ts'

const GB = 1024 ** 3
const LITTLE = 2 * GB
const TOO_LITTLE = GB / 2

/** Room and rights where the service keeps its data, and where Neo4j does when that can be seen from here. */
export async function examineDisk(
  { dataDir, production }: Config,
  database: ExaminedDatabase | undefined,
  report: Report,
) {
  const own = production ? undefined : await nearest(resolve(dataDir))
  const theirs = database && (await folderOf(database))
  if (own === undefined && theirs === undefined)
    report.skipped('nothing is kept on this machine in production; watch the disk of Neo4j')
  if (own !== undefined && !(await isOpenTo(own, constants.W_OK | constants.X_OK)))
    report.failure(`${own} may not be written`, 'Give this user the right to, or set SERVICE_DATA_DIR.')
  else if (own !== undefined) await checkRoom(own, report)
  if (theirs !== undefined && !(own && (await onOneDisk(own, theirs)))) await checkRoom(theirs, report)
}

const onOneDisk = async (one: string, other: string) => (await stat(one)).dev === (await stat(other)).dev

const isOpenTo = (folder: string, rights: number) =>
  access(folder, rights).then(
    () => true,
    () => false,
  )

async function checkRoom(folder: string, { ok, warning, failure }: Report) {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const message = `${sizeOf(free)} are free at ${folder}`
  const remedy = 'Make room: a Neo4j whose disk was full refuses everything until it is restarted.'
  if (free >= LITTLE) ok(message)
  else (free < TOO_LITTLE ? failure : warning)(message, remedy)
}

/** The folder, or the one above in which a start would make it. */
async function nearest(folder: string): Promise<string> {
  const there = await isOpenTo(folder, constants.F_OK)
  return there || folder === dirname(folder) ? folder : nearest(dirname(folder))
}

const DATA = 'server.directories.data'

/** Where Neo4j keeps this database, when that can be seen from here. */
export async function folderOf({ caller, uri, neo4j }: ExaminedDatabase): Promise<string | undefined> {
  if (!isLoopback(URL.parse(uri)?.hostname ?? '')) return undefined
  const data = (await readSettings(caller(), [DATA]).catch(() => undefined))?.get(DATA)
  if (data === undefined) return undefined
  const folder = join(data, 'databases', neo4j.database)
  const found = await stat(folder).catch(() => undefined)
  return found?.isDirectory() ? folder : undefined
}
