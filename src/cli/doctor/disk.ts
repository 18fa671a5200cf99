import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Config } from '../../platform/config.ts'
import type { ExaminedDatabase } from './database.ts'
import { type Finding, findingsOf, sizeOf } from './finding.ts'
import { folderOf } from './folder.ts'

const { ok, warning, failure, skipped } = findingsOf('disk')

const GB = 1024 ** 3
const LITTLE = 2 * GB
const TOO_LITTLE = GB / 2

/** Room and rights where the service keeps its data, and where Neo4j does when that can be seen from here. */
export async function examineDisk(
  { dataDir, production }: Config,
  database: ExaminedDatabase | undefined,
): Promise<Finding[]> {
  const own = production ? undefined : await nearest(resolve(dataDir))
  const theirs = database && (await folderOf(database))
  if (own === undefined && theirs === undefined)
    return [skipped('nothing is kept on this machine in production; watch the disk of Neo4j')]
  return [
    ...(own === undefined ? [] : [(await isWritable(own)) ? await room(own) : forbidden(own)]),
    ...(theirs === undefined || (own && (await onOneDisk(own, theirs))) ? [] : [await room(theirs)]),
  ]
}

const onOneDisk = async (one: string, other: string) => (await stat(one)).dev === (await stat(other)).dev

const isOpenTo = (folder: string, rights: number) =>
  access(folder, rights).then(
    () => true,
    () => false,
  )

const isWritable = (folder: string) => isOpenTo(folder, constants.W_OK | constants.X_OK)

const forbidden = (folder: string) =>
  failure(`${folder} may not be written`, 'Give this user the right to, or set SERVICE_DATA_DIR.')

async function room(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const message = `${sizeOf(free)} are free at ${folder}`
  const remedy = 'Make room: a Neo4j whose disk was full refuses everything until it is restarted.'
  if (free < TOO_LITTLE) return failure(message, remedy)
  return free < LITTLE ? warning(message, remedy) : ok(message)
}

/** The folder, or the one above in which a start would make it. */
async function nearest(folder: string): Promise<string> {
  const there = await isOpenTo(folder, constants.F_OK)
  return there || folder === dirname(folder) ? folder : nearest(dirname(folder))
}
