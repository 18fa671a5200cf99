import type { Context } from '../context.ts'
import type { Output } from '../contract/index.ts'
import type { Figure } from '../contract/insights.ts'
import { lookThrough, type Page, type Window } from './memories/look-through.ts'
import { BEGINNING, fromMillis } from './neo4j/projections.ts'
import { int, read } from './neo4j/statements.ts'
import { holdsNow, live } from './neo4j/tokens.ts'

/** What statements count at once. */
type Insights = Omit<Output<'getInsights'>, 'near_duplicates' | 'outliers'>
type DayCount = { day: string; n: number }

const DAY_MS = 86_400_000
const MOST_CONNECTED = 10

/** How the memories of the tenant grow, and where they need care. The days end today, by the clock of this process. */
export async function readInsights(ctx: Context, days: number): Promise<Insights> {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const first = today - (days - 1) * DAY_MS
  const tenant = { tenant: ctx.tenant }
  const since = { ...tenant, since: int(first) }
  const [created, archived, spread, counts, mostConnected, conflicts] = await Promise.all([
    read<DayCount>(ctx, countByDay('createdAt'), since),
    read<DayCount>(ctx, countByDay('archivedAt'), since),
    read<{ importance: number; health: number; n: number }>(ctx, countByTenth, tenant),
    read<Record<Counted, number>>(ctx, countFigures, tenant),
    read<Insights['most_connected'][number]>(ctx, readMostConnected, {
      ...tenant,
      most: int(MOST_CONNECTED),
    }),
    read<{ n: number }>(ctx, countConflicts, tenant),
  ])
  const tenths = (which: 'importance' | 'health') =>
    Array.from({ length: 10 }, (_, tenth) =>
      spread.reduce((sum, row) => sum + (row[which] === tenth ? row.n : 0), 0),
    )
  const byDay = [created, archived].map(rows => new Map(rows.map(({ day, n }) => [day, n])))
  return {
    days: Array.from({ length: days }, (_, at) => {
      const date = new Date(first + at * DAY_MS).toISOString().slice(0, 10)
      return { date, created: byDay[0]?.get(date) ?? 0, archived: byDay[1]?.get(date) ?? 0 }
    }),
    importance: tenths('importance'),
    health: tenths('health'),
    ...(counts[0] as Record<Counted, number>),
    conflicts: conflicts[0]?.n ?? 0,
    most_connected: mostConnected,
  }
}

/** So many active memories are looked at, the oldest ids first, and so many connections. */
const MOST_READ = 200_000

const eachActive = `MATCH (m:Memory) USING INDEX SEEK m:Memory(tenant, id) WHERE m.tenant = $tenant AND m.id > ''
  WITH m LIMIT ${MOST_READ}
  WITH m WHERE m.state = 'active'`

/** What was archived since then has changed since then. */
const countByDay = (
  time: 'createdAt' | 'archivedAt',
) => `MATCH (m:Memory) USING INDEX SEEK m:Memory(tenant, state, ${time === 'createdAt' ? time : 'updatedAt'}, id)
  WHERE m.tenant = $tenant AND m.id IS NOT NULL
    AND ${time === 'createdAt' ? "m.state IN ['active', 'archived'] AND m.createdAt" : "m.state = 'archived' AND m.updatedAt"} >= ${fromMillis('$since')}
  WITH m LIMIT ${MOST_READ}
  WITH m WHERE m.${time} >= ${fromMillis('$since')}
  RETURN toString(date(m.${time})) AS day, count(*) AS n`

const countByTenth = `${eachActive}
  RETURN CASE WHEN m.importance >= 1 THEN 9 ELSE toInteger(10 * m.importance) END AS importance,
    CASE WHEN m.health >= 100 THEN 9 ELSE toInteger(m.health / 10) END AS health, count(*) AS n`

/** Connections of both directions, and of every type: the store keeps their number with each memory. */
const degree = 'COUNT { (m)--() } - COUNT { (m)-[:MAY_CONTRADICT]-() }'

/** Which memories a figure counts, as far as one statement can tell. */
const counted = {
  fading: 'm.health < 20',
  unconnected: `${degree} = 0`,
  never_recalled: `m.recallCount = 0 AND (m.health < 50
    OR m.expiresAt.epochMillis + m.createdAt.epochMillis < 2 * timestamp()
    OR m.createdAt < datetime.realtime('Z') - duration({days: 30}))`,
}

type Counted = keyof typeof counted

const countFigures = `${eachActive} AND ${live('m')}
  RETURN ${Object.entries(counted)
    .map(([figure, condition]) => `count(CASE WHEN ${condition} THEN 1 END) AS ${figure}`)
    .join(', ')}`

/** The ids of memories of a figure behind one, in order; where their vectors decide, of those that it may count. */
export function readFigure(ctx: Context, figure: Figure, window: Window): Promise<Page> {
  const condition =
    figure === 'near_duplicates' ? 'true' : counted[figure === 'outliers' ? 'unconnected' : figure]
  return lookThrough(ctx, `WITH m WHERE ${live('m')} AND (${condition})`, window)
}

const readMostConnected = `${eachActive}
  WITH m, ${degree} AS degree
  WHERE degree > 0
  WITH m.id AS memory_id, degree ORDER BY degree DESC, memory_id LIMIT $most
  RETURN memory_id, degree AS connections`

const countConflicts = `MATCH ()-[r:CONTRADICTS]->() WHERE r.tenant = $tenant AND r.createdAt >= ${BEGINNING} AND r.key IS NOT NULL
  WITH r LIMIT ${MOST_READ}
  WITH r, startNode(r) AS a, endNode(r) AS b
  WHERE a.tenant = $tenant AND b.tenant = $tenant AND ${live('a')} AND ${live('b')} AND ${holdsNow('r')}
  RETURN count(*) AS n`
