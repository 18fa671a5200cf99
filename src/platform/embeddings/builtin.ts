import { createBatcher } from '../batcher.ts'
import { type Config, ConfigError, readMachine } from '../config.ts'
import { type BuiltinModel, builtinModels, ENGLISH } from './builtin/description.ts'
import { modelFiles } from './builtin/files.ts'
import { NoModelError } from './builtin/no-model.ts'
import { createThread, type Lane, type StartWorker, startWorker, type Thread } from './builtin/thread.ts'
import { type Embedder, type Embedding, EmbeddingUnavailable } from './embedder.ts'

/** Texts that the worker has at a time. More would wait there in the order of their arrival, for all tenants alike. */
const AT_ONCE: Record<Lane, number> = { query: 8, document: 4, queued: 1 }

type Parts = {
  readonly machine?: ReturnType<typeof readMachine>
  readonly signal?: AbortSignal
  readonly startWorker?: StartWorker
}

/**
 * A model that comes with the service, computed in a thread of this process.
 * @throws NoModelError that names the remedies when the model cannot be fetched or loaded; ConfigError for a model that is none of them
 */
export async function createBuiltinEmbedder(
  config: Config['embedding'],
  report: (line: string) => void,
  { machine = readMachine(), signal, startWorker: start = startWorker }: Parts = {},
): Promise<Embedder> {
  const model = modelOf(config)
  const { reading } = model
  const files = await modelFiles(model, machine, report, signal)
  const thread = await createThread(() => start(files, reading)).catch(cause => {
    throw new NoModelError(`it cannot be loaded (${cause.message}).`, { cause })
  })
  const closing = new AbortController()
  const send = {
    query: createSender(thread, 'query'),
    document: createSender(thread, 'document'),
    queued: createSender(thread, 'queued'),
  }
  return {
    space: { provider: 'builtin', model: model.space, dimensions: reading.dimensions },
    semantic: true,
    embed(texts, { kind, queued, signal, share }) {
      const lane = queued ? 'queued' : kind
      return send[lane](
        texts.map(text => ({ lane, text })),
        { signal: AbortSignal.any([signal, closing.signal]), share },
      )
    },
    health() {
      const { status, detail } = thread.health()
      return {
        status,
        detail: detail ?? `${model.name}, built in: finds shared meaning in ${model.languages}`,
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new EmbeddingUnavailable('the service is stopping'))
      await thread[Symbol.asyncDispose]()
    },
  }
}

const createSender = (thread: Thread, lane: Lane) =>
  createBatcher<Parameters<Thread['embed']>[0], Embedding>(
    { concurrency: AT_ONCE[lane], most: () => 1, bytes: Number.POSITIVE_INFINITY, sizeOf: () => 0 },
    async jobs => {
      for (const job of jobs) await thread.embed(job.item).then(job.resolve, job.reject)
    },
  )

function modelOf({ model: name, dimensions }: Config['embedding']): BuiltinModel {
  const model = name === undefined ? ENGLISH : builtinModels[name]
  const length = (model ?? ENGLISH).reading.dimensions
  const faults = [
    ...(model
      ? []
      : [
          `SERVICE_EMBEDDING_MODEL is ${name}, and the built-in models are english and multilingual: leave it unset for the first, or set SERVICE_EMBEDDING_PROVIDER=local.`,
        ]),
    ...(dimensions === undefined || dimensions === length
      ? []
      : [
          `SERVICE_EMBEDDING_DIMENSIONS is ${dimensions}, and the vectors of the built-in models have ${length}: leave it unset.`,
        ]),
  ]
  if (!model || faults.length > 0) throw new ConfigError(faults)
  return model
}
