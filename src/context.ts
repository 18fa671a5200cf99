import type { KeyObject } from 'node:crypto'
import type { ChangeKind } from './contract/changes.ts'
import type { Scope } from './contract/route.ts'
import type { Checks } from './contract/system.ts'
import type { Usage } from './contract/tenants.ts'
import type { ChatModel } from './platform/chat-model/index.ts'
import type { Config } from './platform/config.ts'
import type { Unrelated } from './platform/embeddings/calibration.ts'
import type { Embedder } from './platform/embeddings/index.ts'
import type { Log } from './platform/log.ts'
import type { Metrics } from './platform/metrics.ts'
import type { Notices } from './platform/notices.ts'
import type { AddressGuard } from './platform/public-address.ts'
import type { Reranker } from './platform/reranker.ts'
import type { Semaphore } from './platform/semaphore.ts'
import type { WebhookSender } from './platform/webhook-sender.ts'
import type { CypherAnswer, CypherQuery } from './store/cypher/answer.ts'
import type {
  Batch,
  FeedBounds,
  Glimpse,
  Numbered,
  NumberedChange,
  SelectedChange,
} from './store/feed/types.ts'
import type { Caller, Neo4j } from './store/neo4j/attempts.ts'

/** What lives as long as the process. */
export type App = {
  readonly config: Config
  readonly version: string
  readonly startedAt: number
  readonly log: Log
  readonly metrics: Metrics
  readonly neo4j: Neo4j
  /** Statements that tenants may have in progress in the database. */
  readonly semaphore: Semaphore
  /** Look-ups of keys that are in progress: made-up keys are looked up too, and leave the database to others. */
  readonly keyLookups: Semaphore
  readonly groupCommits: GroupCommits
  /** Of each memory that is being written to, when the last of its writers has finished. */
  readonly memoryLocks: Map<string, Promise<unknown>>
  readonly embeddings: Embeddings
  /** Signs cursors; the same for every replica and across restarts. */
  readonly cursorKey: KeyObject
  readonly feed: Feed
  /** By what those who follow feeds in this process test changes. */
  readonly glimpses: { readonly look: Looking }
  /** Makes the worker of this process look for queued jobs now. */
  readonly wake: () => void
  /** Of jobs about memories that the worker of this process has done. */
  readonly notices: Notices
  readonly tenantProfiles: { get(ctx: Context): Promise<TenantProfile> }
  readonly discoveryRules: { of(ctx: Context, version: string | null): Promise<KeptRule> }
  /** Records recalls of the memories that an answer shows, before it leaves. */
  readonly recalls: Recalls
  /** The words of memories, which searches read most. */
  readonly knownWords: KnownWords
  readonly queryVectors: { get(ctx: Context, texts: readonly string[]): Promise<QueryVector> }
  /** Undefined where no reranking model is set. */
  readonly reranker: Reranker | undefined
  /** Undefined where no chat model is set. */
  readonly model: ChatModel | undefined
  readonly quotas: Quotas
  /** Runs queries of callers in Cypher, in threads of their own. */
  readonly cypher: { run(ctx: Context, query: CypherQuery): Promise<CypherAnswer> }
  /** Which network addresses a webhook may have. */
  readonly addresses: AddressGuard
  readonly webhookSender: WebhookSender
  readonly checkDatabase: (app: App) => Promise<DatabaseChecks>
}

/** What a memory shows of its recalls: how many, and the time of the last in milliseconds. */
export type RecallFigures = { readonly count: number; readonly last: number | null }

type KnownWords = {
  get(ctx: Context, digest: string | null): string | undefined
  keep(ctx: Context, digest: string | null, words: string): void
  of(ctx: Context, texts: readonly { id: string; digest: string | null }[]): Promise<Map<string, string>>
}

type Recalls = {
  record(ctx: Context, ids: readonly string[]): Promise<ReadonlyMap<string, RecallFigures>>
  flush(app: App): Promise<void>
}

/** How much tenants may store. */
type Quotas = {
  limitOf(ctx: Pick<Context, 'tenant'>): Promise<Usage | null>
  forget(): void
}

/** How rows of one kind are written, or read, in shared transactions. */
export type GroupCommit<Row, Answer> = {
  /**
   * Group commits of the same queue run one at a time. Without one, requests wait for them: a slow commit is passed by
   * others.
   */
  readonly queue?: string
  /** Whether a commit holds rows of one tenant, whose share of the database it takes. */
  readonly isOfTenant?: boolean
  /** The most rows of one commit, and the most that their sizes may sum up to, where rows have sizes. */
  readonly rows: number
  readonly size?: number
  readonly sizeOf?: (row: Row) => number
  /** Returns the answers in the order of the rows, all in one transaction. The rows must be idempotent by key. */
  readonly commit: (caller: Caller, space: Space, rows: readonly Row[]) => Promise<Answer[]>
}

export type GroupCommitter = Pick<Caller, 'signal' | 'share'> & { readonly space: Space }

export type GroupCommits = {
  /**
   * Commits a row together with those of other callers in the same space. A lone row is sent as soon as its queue is
   * free; rows that arrive in the meantime go into the next commit. Each caller gets an answer of its own: a row that cannot be
   * written fails alone, and one whose caller gives up is committed with the others or not at all.
   * @throws ServiceError `database_unavailable`
   */
  commit<Row, Answer>(group: GroupCommit<Row, Answer>, committer: GroupCommitter, row: Row): Promise<Answer>
}

/** The vector of the first of several texts, and the mean of those of all, which is searched for. */
export type QueryVector = { readonly plain: Float32Array; readonly mean: Float32Array }

/** What a sample of a tenant's memories has in common. */
export type TenantProfile = {
  /** How many memories the sample has. */
  readonly sampled: number
  /** The words that many of them hold. */
  readonly words: ReadonlySet<string>
  /** How rare a word stem is among them: 0 if all have it. */
  readonly rarity: (stem: string) => number
  /** Undefined if none of them has a vector. */
  readonly chance: Chance | undefined
}

/** The mean of the unit vectors of a tenant's memories, and the mean cosine of two of them where there are enough. */
export type Chance = { readonly vector: Float32Array; readonly crowding: number | undefined }

/** The readiness checks that read the database. */
export type DatabaseChecks = Omit<Checks, 'embeddings'> & {
  /** How many memories of all tenants the provider has refused to embed, as far as they were counted. */
  refusedTexts: number
}

/** An embedding space as the graph knows it: vectors of two spaces never meet in one property or one index. */
export type Space = {
  readonly id: string
  readonly provider: string
  readonly model: string
  readonly dimensions: number
  /** The property of a memory that holds its vector in this space. */
  readonly property: string
  /** The property that says whether that vector stands for the beginning of the content only. */
  readonly truncated: string
  /** The vector index over that property. */
  readonly index: string
}

/**
 * What a pair of a tenant needs to be connected: the cosine `far` and one shared stem that is not common there, or `near` and
 * several, or `wordless` where the texts can have no words in common.
 */
export type DiscoveryRule = {
  readonly near: number
  readonly far: number
  readonly wordless: number
  readonly common: ReadonlySet<string>
  /** Words are asked for too, and not the cosine alone. */
  readonly byWords: boolean
}

export type KeptRule = DiscoveryRule & {
  /** Changes with the rule. */
  readonly version: string
  /** How many memories the tenant had. */
  readonly memories: number
  /** The last text digest of the sample that it was made of; null if that was every memory. */
  readonly last: string | null
  /** It has changed since memories were judged by it, and not all of them have been judged again. */
  readonly unsettled: boolean
}

/** A space with what embeds into it. */
export type SpaceInUse = { readonly space: Space; readonly embedder: Embedder }

/** The space that is searched. */
type ActiveSpace = SpaceInUse & {
  /** The smallest number of candidates that a search requests from the index. More candidates make the first results more exact. */
  readonly breadth: number
  /** Cosine from which on memories are connected in it: as the settings have it, else as suits its model. */
  readonly discoveryThreshold: number
  /** The cosines that unrelated texts have in it. */
  readonly unrelated: Unrelated
}

/** The spaces that this process keeps vectors in. */
export type Embeddings = {
  /** The id of the one that the settings ask for. */
  readonly wanted: string
  /** The one in which memories are searched and discovered now. */
  readonly active: () => ActiveSpace
  /** Every space that is kept up to date: the active one first, then one being built or one to roll back to. */
  readonly kept: () => readonly SpaceInUse[]
  /** Looks which one is active now, as another process may have switched. */
  readonly refresh: () => Promise<void>
}

/** Which changes a reader of the feed wants. */
export type Selection = {
  /** The kinds that are read of the feed; undefined for all that are shown unasked. */
  readonly kinds: readonly ChangeKind[] | undefined
  /** What has to be known of the memories of changes. */
  readonly reads: 'nothing' | 'memories' | 'vectors'
  /** Whether a change alone may be wanted. */
  readonly isPossible: (change: NumberedChange) => boolean
  /** Before `pick`, for the space and the tenant of a context. @throws ServiceError `embedding_unavailable` */
  prepare(ctx: Context, profile: TenantProfile): Promise<void> | undefined
  /** A possible change whose memories are these, if it is wanted. */
  pick(change: NumberedChange, memories: readonly Glimpse[]): SelectedChange | undefined
}

/** The memories that changes are about, as they are when the change is read. */
export type Looking = (
  ctx: Context,
  changes: readonly NumberedChange[],
  withVectors: boolean,
) => Promise<(change: NumberedChange) => Glimpse[]>

/** The feeds of changes, for those who follow them. */
export type Feed = {
  /** Something may have changed in a tenant: its followers read at once. */
  notice(tenant: string): void
  /** Gives changes their numbers, as `numberChanges` does, once for all who ask for it at the same time. */
  number(of: Pick<Context, 'tenant' | 'signal'>, wanted?: Numbered): Promise<FeedBounds>
  /** Yields what is wanted of the changes after a position, or from now on. */
  follow(ctx: Context, selection: Selection, after?: number): AsyncGenerator<Batch>
}

/** One request, or one piece of queued work: the app, for whom, and until when. */
export type Context = ActiveSpace & {
  readonly app: App
  readonly tenant: string
  /**
   * Whose private memories the request uses besides the shared ones of `tenant`. Only `placed` and what reads both parts
   * look at it: all else acts in `tenant` alone.
   */
  readonly owner?: string | undefined
  /**
   * Whose share of the database and of the embedding provider this takes: the tenant's. What the service does on its own
   * has none.
   */
  readonly share?: string | undefined
  readonly scopes: ReadonlySet<Scope>
  /** May act in every tenant. */
  readonly operator: boolean
  /** Which key it is: its id, or `operator`. */
  readonly key?: string | undefined
  /** The key or token of the caller, which encrypts what only it may read again. Never logged. */
  readonly credential?: string | undefined
  /** The network address of the caller. */
  readonly address?: string | undefined
  /** The call that the audit log records, where it records it; the id names the call. */
  readonly audited?: { readonly id: string; readonly operation: string } | undefined
  /** Throws once the key is no longer good: for what lasts longer than a request. */
  readonly recheck?: ((signal: AbortSignal) => Promise<unknown>) | undefined
  /** The recalls of the answer are not recorded yet: the caller is told. */
  readonly recallsDeferred?: (() => void) | undefined
  readonly requestId: string
  /** Aborts when the caller has gone or the time for the request is over. */
  readonly signal: AbortSignal
  /** Aborts when the caller has gone: a write goes on, but waits for nothing more. */
  readonly gone?: AbortSignal | undefined
  readonly log: Log
  /** The versions that the caller expects the memory to have, any of them (`If-Match`). */
  readonly expectedVersions?: readonly number[] | undefined
  /** How long the caller waits for the vectors and the discovery of what it writes (`Prefer: wait`). */
  readonly waitSeconds?: number | undefined
  /** Ids minted earlier for this very request (`Idempotency-Key`), so that a repeat makes nothing new. */
  readonly mintedIds?: readonly string[] | undefined
}
