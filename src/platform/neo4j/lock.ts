import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { FolderInUseError } from './errors.ts'

const sqliteBusy = 5

/** Locks that are held; a database that is collected as garbage would give its lock back. */
const held = new Set<DatabaseSync>()

/**
 * Takes a folder for this process until disposed of.
 * The lock is SQLite's on an otherwise unused file: the kernel holds it and gives it back when the process ends,
 * however it ends, so that a lock is never stale and no process number is ever mistaken for another.
 * @throws FolderInUseError naming the process that holds it.
 */
export function lockFolder(folder: string): Disposable {
  const lock = new DatabaseSync(join(folder, 'lock'))
  const holder = join(folder, 'lock.holder')
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error
    throw new FolderInUseError(folder, readHolder(holder))
  }
  writeFileSync(holder, String(process.pid))
  held.add(lock)
  return {
    [Symbol.dispose]() {
      if (held.delete(lock)) lock.close()
    },
  }
}

function readHolder(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined
  } catch {
    return undefined
  }
}
