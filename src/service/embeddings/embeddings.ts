import type { Embeddings, Space, SpaceInUse } from '../../context.ts'
import type { Config } from '../../platform/config.ts'
import { calibrate, type Unrelated } from '../../platform/embeddings/calibration.ts'
import { createEmbedder, type Embedder, EmbeddingUnavailable } from '../../platform/embeddings/index.ts'
import { defaultThreshold, traitsOf, UNRELATED } from '../../platform/embeddings/models.ts'
import type { Log } from '../../platform/log.ts'
import {
  breadthAmong,
  type KnownSpace,
  listSpaces,
  type Pointer,
  readPointer,
  recordCalibration,
  recordSpace,
  spaceOf,
} from '../../store/embeddings/spaces.ts'
import type { Caller } from '../../store/neo4j/attempts.ts'

type Parts = {
  /** The one that the settings ask for. */
  embedder: Embedder
  caller: () => Caller
  config: Config['embedding']
  /** `SERVICE_AUTO_DISCOVERY_THRESHOLD`, where it is set. */
  threshold: number | undefined
  log: Log
  report: (line: string) => void
  /** Called when the kept spaces or the active space have changed. */
  changed: () => void
}

/** How often this process checks for a switch made by another process. */
const FOLLOW_MS = 2_000

/**
 * The spaces of the database as this process keeps them: the one that its settings ask for, the active one, the one to
 * roll back to, and the one that other processes build, so that what is done here is not missing there. It keeps in
 * step with what other processes do, until it is disposed.
 */
export async function openEmbeddings(parts: Parts): Promise<Embeddings & AsyncDisposable> {
  const { caller, config, log, changed, embedder: wanted } = parts
  await using opening = new AsyncDisposableStack()
  const embedders = opening.use(new AsyncDisposableStack())
  const own: SpaceInUse = { space: spaceOf(wanted.space), embedder: wanted }
  const inUse = new Map([[own.space.id, own]])
  await recordSpace(caller(), own.space, config.model ?? null)
  const calibrations = new Map([[own.space.id, await calibrationOf(own, parts)]])
  let pointer = await withEmbedders(await readPointer(caller()))
  let looking = Promise.resolve()
  let following = false
  const timer = setInterval(() => void follow(), FOLLOW_MS)
  opening.defer(() => clearInterval(timer))
  const open = opening.move()
  return {
    wanted: own.space.id,
    active,
    kept,
    refresh,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }

  function active() {
    const inSpace = find(pointer.active)
    const unrelated = calibrations.get(inSpace.space.id) ?? UNRELATED
    const discoveryThreshold = parts.threshold ?? defaultThreshold(inSpace.space, unrelated)
    return { ...inSpace, breadth: breadthAmong(pointer.memories), discoveryThreshold, unrelated }
  }

  function find(id: string): SpaceInUse {
    return inUse.get(id) as SpaceInUse
  }

  function kept() {
    const ids = new Set([pointer.active, own.space.id, pointer.newest, pointer.previous])
    return [...ids].flatMap(id => (id === null ? [] : (inUse.get(id) ?? [])))
  }

  /** Does nothing while the last refresh is still running. */
  async function follow() {
    if (following) return
    following = true
    await refresh().catch(missed)
    following = false
  }

  /** Refreshes run one after the other: two at once could create an embedder twice, and the earlier one may have read an older state. */
  function refresh(): Promise<void> {
    looking = looking.catch(() => {}).then(look)
    return looking
  }

  async function look() {
    const last = pointer
    pointer = await withEmbedders(await readPointer(caller()))
    if (pointer.active !== last.active || pointer.newest !== last.newest) changed()
  }

  function missed(error: unknown) {
    log.warn(
      { error: error instanceof Error ? error.message : String(error) },
      'could not look which embedding space is active',
    )
  }

  /** Creates the embedders of all spaces that the pointer names, before the pointer is used. */
  async function withEmbedders(next: Pointer): Promise<Pointer> {
    const needed = [next.active, next.previous, next.newest].filter(id => id !== null && !inUse.has(id))
    if (needed.length === 0) return next
    for (const known of (await listSpaces(caller())).filter(({ space }) => needed.includes(space.id))) {
      calibrations.set(known.space.id, unrelatedIn(known) ?? UNRELATED)
      inUse.set(known.space.id, {
        space: known.space,
        embedder: embedders.use(await embedderInto(known, parts)),
      })
    }
    return next
  }
}

const unrelatedIn = ({ space, unrelated }: Pick<KnownSpace, 'space' | 'unrelated'>) =>
  traitsOf(space.model).unrelated ?? unrelated

/** So long a start waits for the calibration of its model; the next start tries again. */
const CALIBRATION_MS = 15_000

/** What is known of a model, else what was measured when its space was made, else what is measured now. */
async function calibrationOf({ space, embedder }: SpaceInUse, { caller, log }: Parts): Promise<Unrelated> {
  const known = (await listSpaces(caller())).find(each => each.space.id === space.id)
  const before = unrelatedIn({ space, unrelated: known?.unrelated ?? null })
  if (before) return before
  try {
    const measured = await calibrate(embedder, AbortSignal.timeout(CALIBRATION_MS))
    await recordCalibration(caller(), space, measured)
    return measured
  } catch (error) {
    log.warn(
      { error: error instanceof Error ? error.message : String(error) },
      'could not measure the embedding model; relevance and discovery use general figures',
    )
    return UNRELATED
  }
}

/** An embedder for a space other than the configured one, with the configured connection. */
async function embedderInto(
  { space, source }: KnownSpace,
  { config, log, report }: Parts,
): Promise<Embedder> {
  const { provider, dimensions } = space as Embedder['space']
  const settings = { ...config, provider, dimensions, model: source ?? undefined }
  const embedder = await createEmbedder(settings, log, report).catch(() => undefined)
  if (embedder && spaceOf(embedder.space).id === space.id) return embedder
  await embedder?.[Symbol.asyncDispose]()
  return withoutProvider(space)
}

/** The embedder of a space that this process cannot embed into: keyword search keeps working. */
function withoutProvider(space: Space): Embedder {
  const { provider, model, dimensions } = space as Embedder['space']
  const reason = 'this process is not set up for the active embedding space'
  return {
    space: { provider, model, dimensions },
    semantic: provider !== 'hash',
    embed: () => Promise.reject(new EmbeddingUnavailable(reason, { permanent: true })),
    health: () => ({ status: 'degraded', detail: reason }),
    [Symbol.asyncDispose]: async () => {},
  }
}
