import { createHash } from 'node:crypto'
import { createReadStream, existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { pipeline as stream } from 'node:stream/promises'
import { ConfigError } from '../../config.ts'
import { progressLines } from './progress.ts'

/** The part that is used of `@huggingface/transformers`, an optional package. */
export type Transformers = {
  readonly env: { cacheDir: string | null; logLevel: number }
  pipeline(task: 'feature-extraction', model: string, options: Record<string, unknown>): Promise<Extractor>
}

type Extractor = {
  (texts: string[], options: { pooling: 'mean' | 'cls' }): Promise<{ data: Float32Array; dims: number[] }>
  readonly tokenizer: {
    (text: string, options: { truncation: boolean }): { input_ids: { dims: number[] } }
    readonly model_max_length: number
  }
  readonly model: { readonly config: { readonly max_position_embeddings?: number } }
  dispose(): Promise<unknown>
}

const PACKAGE = '@huggingface/transformers'
/** Its messages on failures carry the input. */
const SILENT = 50

export const importTransformers = (): Promise<Transformers> => import(PACKAGE)

export type LoadedModel = {
  /** As it names the embedding space. */
  readonly name: string
  readonly extractor: Extractor
  /** Longest text in tokens; the rest is cut off. */
  readonly longest: number
}

/** The model from a folder if there is one of that name, else from the hub. */
export async function loadLocalModel(
  library: () => Promise<Transformers>,
  model: string,
  report: (line: string) => void,
): Promise<LoadedModel> {
  const { env, pipeline } = await installed(library)
  env.cacheDir = join(homedir(), '.cache', 'mnemograph', 'models')
  env.logLevel = SILENT
  const folder = existsSync(model) && statSync(model).isDirectory() ? resolve(model) : undefined
  report(`Loading the embedding model ${folder ? basename(folder) : model}`)
  try {
    const extractor = await pipeline('feature-extraction', folder ?? model, {
      dtype: folder && !existsSync(weightsIn(folder)) ? 'q8' : 'fp32',
      ...(folder ? { local_files_only: true } : { progress_callback: progressLines(report) }),
    })
    return { extractor, longest: boundTexts(extractor), name: folder ? await nameOf(folder) : model }
  } catch (cause) {
    const place = folder ? 'from its folder' : 'from the hub'
    const why = cause instanceof Error ? ` (${cause.message})` : ''
    throw new ConfigError([`SERVICE_EMBEDDING_MODEL: ${model} could not be loaded ${place}${why}`], { cause })
  }
}

/** @throws Error that names the command to run when the package is not installed. */
async function installed(library: () => Promise<Transformers>): Promise<Transformers> {
  try {
    return await library()
  } catch (cause) {
    const message = `SERVICE_EMBEDDING_PROVIDER=local needs an optional package: npm install ${PACKAGE}`
    throw new ConfigError([message], { cause })
  }
}

const weightsIn = (folder: string, kind = '') => join(folder, 'onnx', `model${kind}.onnx`)

/** Some tokenizers state no bound; then the bound of the model applies. */
function boundTexts({ tokenizer, model }: Extractor): number {
  const { max_position_embeddings = Number.POSITIVE_INFINITY } = model.config
  const value = Math.min(tokenizer.model_max_length, max_position_embeddings)
  Object.defineProperty(tokenizer, 'model_max_length', { value })
  return value
}

/** The name includes a digest of the weights, because other weights are another space. */
async function nameOf(folder: string): Promise<string> {
  const weights = [weightsIn(folder), weightsIn(folder, '_quantized')].find(file => existsSync(file))
  if (!weights) return basename(folder)
  const digest = createHash('sha256')
  await stream(createReadStream(weights), digest)
  return `${basename(folder)}@${digest.digest('hex').slice(0, 12)}`
}
