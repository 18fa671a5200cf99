import { type BatchCall, createBatcher } from '../batcher.ts'
import { type Config, ConfigError } from '../config.ts'
import { type Embedder, type Embedding, EmbeddingUnavailable } from './embedder.ts'
import { importTransformers, type LoadedModel, loadLocalModel, type Transformers } from './local/load.ts'
import { traitsOf } from './models.ts'
import { toUnit } from './unit.ts'

const DEFAULT_MODEL = 'Xenova/all-MiniLM-L6-v2'
/**
 * One text at a time: the runtime computes on the thread that answers requests, and the vectors of quantised weights
 * would depend on the neighbours in the batch.
 */
const LIMITS = { concurrency: 1, most: () => 1, bytes: Number.POSITIVE_INFINITY, sizeOf: () => 0 }

/**
 * A sentence-transformer that runs inside the service.
 * @throws Error that says what to do when the package is not installed or the model cannot be loaded.
 */
export async function createLocalEmbedder(
  config: Config['embedding'],
  report: (line: string) => void,
  library: () => Promise<Transformers> = importTransformers,
): Promise<Embedder> {
  const loaded = await loadLocalModel(library, config.model ?? DEFAULT_MODEL, report)
  const { prefix = {}, pooling = 'mean' } = traitsOf(loaded.name)
  const { dims } = await loaded.extractor(['ok'], { pooling })
  const dimensions = expectLength(loaded.name, dims[1] ?? 0, config.dimensions)
  const closing = new AbortController()
  let computing: Promise<void> = Promise.resolve()
  const batcher = () =>
    createBatcher<string, Embedding>(LIMITS, jobs => {
      computing = computing.then(() => embedJobs(loaded, jobs, { pooling, dimensions }, closing.signal))
      return computing
    })
  const batchers = { document: batcher(), query: batcher() }
  return {
    space: { provider: 'local', model: loaded.name, dimensions },
    semantic: true,
    embed: (texts, { kind, signal, share }) =>
      batchers[kind](
        texts.map(text => (prefix[kind] ?? '') + text),
        { signal: AbortSignal.any([signal, closing.signal]), share },
      ),
    health: () => ({ status: 'up', detail: null }),
    async [Symbol.asyncDispose]() {
      if (closing.signal.aborted) return
      closing.abort(new EmbeddingUnavailable('the service is stopping'))
      await computing
      await loaded.extractor.dispose()
    },
  }
}

function expectLength(name: string, length: number, set: number | undefined): number {
  if (set === undefined || set === length) return length
  throw new ConfigError([
    `SERVICE_EMBEDDING_DIMENSIONS is ${set}, the vectors of ${name} have ${length}: leave it unset.`,
  ])
}

type Shape = { readonly pooling: 'mean' | 'cls'; readonly dimensions: number }

async function embedJobs(
  model: LoadedModel,
  jobs: BatchCall<string, Embedding>[],
  shape: Shape,
  closing: AbortSignal,
) {
  for (const job of jobs) {
    if (closing.aborted) job.reject(closing.reason)
    else await compute(model, job.item, shape).then(job.resolve, job.reject)
  }
}

async function compute({ extractor, longest }: LoadedModel, text: string, shape: Shape): Promise<Embedding> {
  try {
    const { data } = await extractor([text], { pooling: shape.pooling })
    const tokens = extractor.tokenizer(text, { truncation: false }).input_ids.dims[1] ?? 0
    return { vector: toUnit(data, shape.dimensions), truncated: tokens > longest }
  } catch (cause) {
    throw new EmbeddingUnavailable('the model has no vector for the text', { itemFault: true }, { cause })
  }
}
