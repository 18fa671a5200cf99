import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from './config.ts'

/**
 * The key for development without a setting: created once for a data folder and stored in it, readable only by its owner.
 * `made` is true if it is new.
 */
export async function developmentKey(dataDir: string): Promise<{ key: string; made: boolean }> {
  const kept = await readDevelopmentKey(dataDir)
  if (kept) return { key: kept, made: false }
  await mkdir(dataDir, { recursive: true }).catch(cause => {
    throw new ConfigError([`SERVICE_DATA_DIR: ${dataDir} cannot be created (${cause.message})`], { cause })
  })
  const key = `dev_${randomBytes(24).toString('base64url')}`
  // A start that ends between these two steps leaves no empty file.
  const aside = `${fileIn(dataDir)}.${process.pid}`
  await writeFile(aside, `${key}\n`, { mode: 0o600 })
  await rename(aside, fileIn(dataDir))
  return { key, made: true }
}

/** The stored key, for commands that run next to the service. */
export async function readDevelopmentKey(dataDir: string): Promise<string | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => '')
  return text.trim() || undefined
}

const fileIn = (dataDir: string) => join(dataDir, 'development.key')
