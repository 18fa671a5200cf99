import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Keeps the address of a running service in its data folder, so that commands on the same machine find it. Disposing it
 * removes the file. A folder that cannot be written is no reason not to serve.
 */
export async function keepAddress(dataDir: string, url: string): Promise<AsyncDisposable> {
  await mkdir(dataDir, { recursive: true })
    .then(() => writeFile(fileIn(dataDir), `${url}\n`))
    .catch(() => {})
  return {
    async [Symbol.asyncDispose]() {
      // Another service may have started in the same folder in the meantime.
      if ((await readAddress(dataDir)) === url) await rm(fileIn(dataDir), { force: true }).catch(() => {})
    },
  }
}

/** The address of the service that runs with this folder, if one does. */
export async function readAddress(dataDir: string): Promise<string | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => '')
  return text.trim() || undefined
}

const fileIn = (dataDir: string) => join(dataDir, 'service.url')
