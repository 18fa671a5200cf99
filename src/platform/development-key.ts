import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from './config.ts'

/**
 * The key for development without a setting: made once for a data folder and kept in it, readable by its owner alone.
 * `made` tells whether it is new.
 */
export async function developmentKey(dataDir: string): Promise<{ key: string; made: boolean }> {
  const kept = await readDevelopmentKey(dataDir)
  if (kept) return { key: kept, made: false }
  await mkdir(dataDir, { recursive: true }).catch(cause => {
    throw new ConfigError([`SERVICE_DATA_DIR: ${dataDir} cannot be made (${cause.message})`], { cause })
  })
  const key = `dev_${randomBytes(24).toString('base64url')}`
  // Written aside and moved: a start that ends in between leaves no empty file behind.
  const aside = `${fileIn(dataDir)}.${process.pid}`
  await writeFile(aside, `${key}\n`, { mode: 0o600 })
  await rename(aside, fileIn(dataDir))
  return { key, made: true }
}

/** The kept key, for commands that run beside the service. */
export async function readDevelopmentKey(dataDir: string): Promise<string | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => '')
  return text.trim() || undefined
}

const fileIn = (dataDir: string) => join(dataDir, 'development.key')
