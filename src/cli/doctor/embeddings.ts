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
import type { Report } from './finding.ts'

const TEXT = 'Does the embedding provider answer?'

/** Asks the provider for a vector, as a write would, and looks whether the database searches in its space. */
export async function examineEmbeddings(
  { embedding, production }: Config,
  database: ExaminedDatabase | undefined,
  terminal: Terminal,
  report: Report,
) {
  let asked: Asked
  try {
    asked = await embed(embedding, terminal)
  } catch (error) {
    return report.failure(...refusal(error, embedding))
  }
  const { space, semantic, milliseconds } = asked
  const name = nameOfSpace(space)
  const isLexical = `${name}: lexical, near means shared words, not shared meaning`
  if (semantic) report.ok(`${name}: answers after ${milliseconds} ms`)
  else if (!production) report.ok(isLexical)
  else
    report.warning(
      isLexical,
      'Unset SERVICE_EMBEDDING_PROVIDER for the built-in model, or set OPENAI_API_KEY or OPENAI_BASE_URL.',
    )
  if (database) await examineSpace(space, database, report)
}

type Asked = Pick<Embedder, 'space' | 'semantic'> & { milliseconds: number }

async function embed(embedding: Config['embedding'], { note, signal }: Terminal): Promise<Asked> {
  await using embedder = await createEmbedder(embedding, createLog('silent'), note)
  const began = performance.now()
  const limit = AbortSignal.timeout(embedding.timeoutMs + 5_000)
  await embedder.embed([TEXT], { kind: 'document', signal: AbortSignal.any([signal, limit]) })
  const { space, semantic } = embedder
  return { space, semantic, milliseconds: Math.round(performance.now() - began) }
}

async function examineSpace(
  space: Embedder['space'],
  { caller }: ExaminedDatabase,
  { warning }: Report,
): Promise<void> {
  const wanted = spaceOf(space)
  const pointer = (await readPointer(caller())) as Pointer | undefined
  if (!pointer || pointer.active === wanted.id) return
  const active = (await listSpaces(caller())).find(each => each.space.id === pointer.active)?.space
  warning(
    `searches go by ${active ? nameOfSpace(active) : pointer.active}, not by the model in the settings`,
    `When the new one is filled (GET /api/v1/admin/embeddings): POST /api/v1/admin/embeddings/${wanted.id}/switch. Or set back SERVICE_EMBEDDING_PROVIDER, _MODEL and _DIMENSIONS.`,
  )
}

/** What is wrong with the provider, and how to fix it. */
function refusal(error: unknown, { provider, baseUrl }: Config['embedding']): [string, string] {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  if (error instanceof NoModelError) return [error.reason, error.remedy]
  const message = `${error instanceof Error ? error.message.replace(/\.$/, '') : error}${cause}`
  if (provider !== 'openai')
    return [message, 'Fix the SERVICE_EMBEDDING_… settings (docs/how-to/embeddings.md).']
  const url = baseUrl === undefined ? undefined : new URL(baseUrl)
  // Not what may stand before the host: a user and a password.
  const where = url ? url.origin + url.pathname : 'the public API of OpenAI'
  const remedy =
    error instanceof EmbeddingUnavailable && error.permanent
      ? 'Fix OPENAI_API_KEY, OPENAI_BASE_URL, SERVICE_EMBEDDING_MODEL or SERVICE_EMBEDDING_DIMENSIONS, and restart the service.'
      : 'Does it answer from this machine; is OPENAI_BASE_URL right? A vector of another length: SERVICE_EMBEDDING_DIMENSIONS.'
  return [`${where}: ${message}`, `${remedy} Writes and keyword search go on in the meantime.`]
}
