import type { Config } from '../../platform/config.ts'
import {
  createEmbedder,
  type Embedder,
  EmbeddingUnavailable,
  NoModelError,
} from '../../platform/embeddings/index.ts'
import { createLog } from '../../platform/log.ts'
import { listSpaces, nameOfSpace, type Pointer, readPointer, spaceOf } from '../../store/embeddings/spaces.ts'
import type { Terminal } from '../shell/terminal.ts'
import type { ExaminedDatabase } from './database.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning, failure } = findingsOf('embeddings')

const TEXT = 'Does the embedding provider answer?'

/** Asks the provider for a vector, as a write would, and looks whether the database searches in its space. */
export async function examineEmbeddings(
  { embedding, production }: Config,
  database: ExaminedDatabase | undefined,
  { note, signal }: Pick<Terminal, 'note' | 'signal'>,
): Promise<Finding[]> {
  let asked: Asked
  try {
    asked = await embed(embedding, note, signal)
  } catch (error) {
    return [refusal(error, embedding)]
  }
  return [checkProvider(asked, production), ...(database ? await examineSpace(asked, database) : [])]
}

type Asked = Pick<Embedder, 'space' | 'semantic'> & { milliseconds: number }

async function embed(
  embedding: Config['embedding'],
  note: (line: string) => void,
  signal: AbortSignal,
): Promise<Asked> {
  await using embedder = await createEmbedder(embedding, createLog('silent'), note)
  const began = performance.now()
  const limit = AbortSignal.timeout(embedding.timeoutMs + 5_000)
  await embedder.embed([TEXT], { kind: 'document', signal: AbortSignal.any([signal, limit]) })
  const { space, semantic } = embedder
  return { space, semantic, milliseconds: Math.round(performance.now() - began) }
}

function checkProvider({ space, semantic, milliseconds }: Asked, production: boolean): Finding {
  const name = nameOfSpace(space)
  if (semantic) return ok(`${name}: answers after ${milliseconds} ms`)
  const message = `${name}: lexical, near means shared words, not shared meaning`
  if (!production) return ok(message)
  return warning(
    message,
    'Unset SERVICE_EMBEDDING_PROVIDER for the built-in model, or set OPENAI_API_KEY or OPENAI_BASE_URL.',
  )
}

async function examineSpace({ space }: Asked, { caller }: ExaminedDatabase): Promise<Finding[]> {
  const wanted = spaceOf(space)
  const pointer = (await readPointer(caller())) as Pointer | undefined
  if (!pointer || pointer.active === wanted.id) return []
  const active = (await listSpaces(caller())).find(each => each.space.id === pointer.active)?.space
  return [
    warning(
      `searches go by ${active ? nameOfSpace(active) : pointer.active}, not by the model in the settings`,
      `When the new one is filled (GET /api/v1/admin/embeddings): POST /api/v1/admin/embeddings/${wanted.id}/switch. Or set back SERVICE_EMBEDDING_PROVIDER, _MODEL and _DIMENSIONS.`,
    ),
  ]
}

function refusal(error: unknown, { provider, baseUrl }: Config['embedding']): Finding {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  if (error instanceof NoModelError) return failure(error.reason, error.remedy)
  const message = `${error instanceof Error ? error.message.replace(/\.$/, '') : error}${cause}`
  if (provider !== 'openai')
    return failure(message, 'Fix the SERVICE_EMBEDDING_… settings (docs/how-to/embeddings.md).')
  const url = baseUrl === undefined ? undefined : new URL(baseUrl)
  // Not what may stand before the host: a user and a password.
  const where = url ? url.origin + url.pathname : 'the public API of OpenAI'
  if (error instanceof EmbeddingUnavailable && error.permanent)
    return failure(
      `${where}: ${message}`,
      'Fix OPENAI_API_KEY, OPENAI_BASE_URL, SERVICE_EMBEDDING_MODEL or SERVICE_EMBEDDING_DIMENSIONS, and restart the service. Writes and keyword search go on in the meantime.',
    )
  return failure(
    `${where}: ${message}`,
    'Does it answer from this machine; is OPENAI_BASE_URL right? A vector of another length: SERVICE_EMBEDDING_DIMENSIONS. Writes and keyword search go on in the meantime.',
  )
}
