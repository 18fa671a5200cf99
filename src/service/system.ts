import type { App, Context, DatabaseChecks } from '../context.ts'
import type { Output } from '../contract/index.ts'
import { ServiceError } from '../contract/problems.ts'
import { scopes } from '../contract/route.ts'
import type { Checks } from '../contract/system.ts'
import { countRefusedTexts, OVERDUE_SECONDS, oldestQueuedAge } from '../store/jobs/jobs.ts'
import type { Caller } from '../store/neo4j/attempts.ts'
import { type Members, readMembers } from '../store/neo4j/members.ts'
import { definitionsOf, migrationStates, readMigrations, unreadyIndexes } from '../store/neo4j/schema.ts'
import { ownerIn } from './access/private.ts'
import type { Handler } from './handler.ts'

/** Checks only that the process responds. */
export const getHealth: Handler<'getHealth'> = async ({ app }) => ({
  status: 'ok',
  version: app.version,
  uptime_seconds: Math.round((Date.now() - app.startedAt) / 1000),
})

export const getAccess = async ({
  tenant,
  owner,
  key,
  operator,
  scopes: allowed,
}: Context): Promise<Output<'getAccess'>> => ({
  tenant,
  owner: ownerIn({ tenant, owner }),
  key_id: key ?? null,
  operator,
  scopes: scopes.filter(scope => allowed.has(scope)),
})

/** The time that a readiness check waits for the database. */
const LONGEST_CHECK_MS = 3_000

export const getReadiness: Handler<'getReadiness'> = async ctx => {
  const { refusedTexts, ...database } = await ctx.app.checkDatabase(ctx.app)
  const all = { ...database, embeddings: embeddings(ctx, refusedTexts) }
  return {
    status: Object.values(all).some(({ status }) => status === 'down') ? 'not_ready' : 'ready',
    checks: all,
  }
}

/** Requests at the same time share one check: callers without a key cannot keep the database busy. */
export function shareChecks(): App['checkDatabase'] {
  let running: Promise<DatabaseChecks> | undefined
  return app => {
    running ??= checkDatabase(app).finally(() => {
      running = undefined
    })
    return running
  }
}

async function checkDatabase(app: App): Promise<DatabaseChecks> {
  try {
    return await database({ app, signal: AbortSignal.timeout(LONGEST_CHECK_MS) })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return {
      neo4j: down('does not answer'),
      schema: unknown,
      indexes: unknown,
      queue: unknown,
      refusedTexts: 0,
    }
  }
}

type Check = Checks['neo4j']

const up = (detail: string | null = null): Check => ({ status: 'up', detail })
const down = (detail: string): Check => ({ status: 'down', detail })
const unknown = down('not known while Neo4j does not answer')

async function database(caller: Caller & { app: App }): Promise<DatabaseChecks> {
  const migrations = await readMigrations()
  const { space } = caller.app.embeddings.active()
  const [members, states, unready, age, refusedTexts] = await Promise.all([
    readMembers(caller),
    migrationStates(caller, migrations),
    unreadyIndexes(caller, [...definitionsOf(migrations).keys(), space.index]),
    oldestQueuedAge(caller),
    countRefusedTexts(caller, space),
  ])
  const missing = states.filter(({ state }) => state === 'pending')
  return {
    neo4j: cluster(members),
    schema: missing.length === 0 ? up() : down(`${missing.length} migrations are not applied`),
    indexes:
      unready.length === 0 ? up() : down(unready.map(({ name, state }) => `${name} is ${state}`).join(', ')),
    queue: queue(age),
    refusedTexts,
  }
}

/** Without a leader nothing can be written. No name of a host: this is read without a key. */
function cluster(members: Members | undefined): Check {
  if (!members) return up()
  const readers = `${members.readers} ${members.readers === 1 ? 'member serves' : 'members serve'} reads`
  return members.hasLeader
    ? up(`has a leader; ${readers}`)
    : down(`the cluster has no leader now; ${readers}`)
}

const queue = (age: number | null): Check =>
  age !== null && age > OVERDUE_SECONDS
    ? { status: 'degraded', detail: `the oldest job has waited for ${Math.round(age)} s` }
    : up()

/** Never `down`: without the provider, writes and keyword search keep working. */
function embeddings({ app, embedder }: Context, refusedTexts: number): Check {
  const { status, detail } = embedder.health()
  const kind = embedder.semantic ? '' : 'lexical: nearness means shared words, not shared meaning'
  const refused = refusedTexts > 0 ? `${refusedTexts} texts cannot be embedded` : ''
  return { status, detail: [detail ?? kind, refused, whatConnects(app)].filter(Boolean).join('; ') }
}

export const whatConnects = ({ config: { discovery } }: App) =>
  discovery.threshold === undefined
    ? 'connects memories that stand out in their tenant'
    : `connects memories at a cosine of ${discovery.threshold} or more`
