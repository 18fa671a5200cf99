import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { Output } from '../../../../contract/index.ts'
import { useAllowed } from '../../data/allowed.ts'
import { client, wordsOf } from '../../data/client.ts'
import { BarChart } from '../../parts/charts.tsx'
import { Card, Empty, Loading } from '../../parts/ui.tsx'
import { countOf, firstLine, inWords } from '../../parts/words.ts'
import { type Figure, figures } from './figures.ts'

type Insights = Output<'getInsights'>
type Stats = Output<'getStats'>

const DAYS = 90
/** Days before the first memory are left out, as far as so many are shown. */
const LEAST_DAYS = 14
/** A chart of less says nothing. */
const LEAST_POINTS = 3

/** Five figures with their trend, what needs somebody, and how the memories are spread. */
export function OverviewView() {
  const stats = useQuery({
    queryKey: ['stats'],
    queryFn: ({ signal }) => client().getStats({}, { signal }),
  })
  const insights = useQuery({
    queryKey: ['insights'],
    queryFn: ({ signal }) => client().getInsights({ days: DAYS }, { signal }),
    // The service reads every memory for it.
    meta: { isLarge: true },
  })
  const error = stats.error ?? insights.error
  if (error) return <p className="page">{wordsOf(error)}</p>
  if (!stats.data) return <Loading />
  return (
    <div className="page">
      <Figures stats={stats.data} insights={insights.data} />
      {insights.data ? <Insight stats={stats.data} insights={insights.data} /> : <Loading />}
    </div>
  )
}

type Both = { stats: Stats; insights: Insights }

const Insight = ({ stats, insights }: Both) => (
  <>
    <Attention {...{ stats, insights }} />
    {stats.memories.total >= LEAST_POINTS && <Charts insights={insights} />}
    <Values {...{ stats, insights }} />
  </>
)

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** The middle of each tenth stands for its memories. */
const meanOf = (tenths: readonly number[]) => {
  const all = sum(tenths)
  return all === 0 ? 0 : sum(tenths.map((count, at) => count * (at + 0.5))) / all / tenths.length
}

type FiguresProps = { stats: Stats; insights: Insights | undefined }

/** What the service counts by reading every memory is filled in when it is there. */
function Figures({ stats: { memories, connections, queue }, insights }: FiguresProps) {
  const created = insights?.days.map(day => day.created) ?? []
  const archived = insights?.days.map(day => day.archived) ?? []
  const [week, before] = [sum(created.slice(-7)), sum(created.slice(-14, -7))]
  const active = memories.by_state.active ?? 0
  return (
    <dl className="figures">
      <Item name="Memories" value={active} trend={runningOf(created, archived, active)}>
        {countOf(memories.by_state.archived ?? 0, 'archived memory', 'archived memories')}
      </Item>
      <Item name="New this week" value={insights && week} trend={created.slice(-28)}>
        {insights && (before === week ? 'as many as in the week before' : `${before} in the week before`)}
      </Item>
      <Item name="Connections" value={connections.total}>
        {countOf(connections.by_origin.discovered ?? 0, 'discovered one')}
      </Item>
      <Item name="Mean health" value={insights && Math.round(100 * meanOf(insights.health))}>
        of 100; recalls raise it
      </Item>
      <Item name="Jobs that wait" value={queue.depth}>
        {queue.failed > 0 ? `${queue.failed} failed` : 'nothing failed'}
      </Item>
    </dl>
  )
}

/** How many memories there were on each day, counted back from now. */
function runningOf(created: readonly number[], archived: readonly number[], now: number) {
  let count = now
  return created
    .map((made, at) => made - (archived[at] ?? 0))
    .toReversed()
    .map(change => {
      const then = count
      count -= change
      return then
    })
    .toReversed()
}

type ItemProps = {
  name: string
  value: number | undefined
  trend?: readonly number[]
  children: React.ReactNode
}

const Item = ({ name, value, trend, children }: ItemProps) => (
  <div>
    <dt className="hint">{name}</dt>
    <dd>{value?.toLocaleString('en') ?? '…'}</dd>
    <dd className="hint">{children}</dd>
    {trend && new Set(trend).size >= LEAST_POINTS && (
      <dd className="hint">
        <Trend values={trend} />
      </dd>
    )}
  </div>
)

function Trend({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values)
  const points = values.map((value, at) => `${at},${22 - (20 * value) / most}`).join(' ')
  return (
    <svg
      className="trend"
      viewBox={`0 0 ${values.length - 1} 24`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline points={points} />
    </svg>
  )
}

/** Only what somebody can settle, each with the way to it. */
function Attention({ stats: { memories, queue }, insights }: Both) {
  const isAdmin = useAllowed('admin')
  const { conflicts } = insights
  const items = [
    ...(conflicts > 0 && isAdmin
      ? [{ words: countOf(conflicts, 'conflict'), link: '/maintenance', button: 'Resolve' }]
      : []),
    ...(isAdmin && countOfFigure(insights, 'near_duplicates') > 0
      ? [
          {
            words: `${wordsFor(insights, 'near_duplicates')}`,
            link: '/maintenance?tab=plan&kind=merge',
            button: 'Merge',
          },
        ]
      : []),
    ...(queue.failed > 0 && isAdmin
      ? [{ words: countOf(queue.failed, 'failed job'), link: '/operations', button: 'Retry' }]
      : []),
    ...(memories.embeddings_failed > 0 && isAdmin
      ? [
          {
            words: `${countOf(memories.embeddings_failed, 'memory', 'memories')} cannot get a vector`,
            link: '/operations',
            button: 'See why',
          },
        ]
      : []),
    ...(Object.keys(figures) as Figure[])
      .filter(figure => countOfFigure(insights, figure) > 0)
      .map(figure => ({ words: wordsFor(insights, figure), link: `/insights/${figure}`, button: 'Show' })),
  ]
  return (
    <Card title="Needs attention">
      {items.length === 0 && (
        <Empty title="Nothing needs you">
          <p>Conflicts, duplicates, fading memories and failed jobs appear here.</p>
        </Empty>
      )}
      <ul className="todo">
        {items.map(({ words, link, button }) => (
          <li key={link}>
            <span>{words}</span>
            <Link className="button" href={link} aria-label={`${button}: ${words}`}>
              {button}
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const countOfFigure = (insights: Insights, figure: Figure) => {
  const counted = insights[figure]
  return typeof counted === 'number' ? counted : counted.count
}

const wordsFor = (insights: Insights, figure: Figure) => {
  const counted = insights[figure]
  const isWhole = typeof counted === 'number' || counted.complete
  return `${isWhole ? '' : 'At least '}${countOf(countOfFigure(insights, figure), 'memory', 'memories')} ${figures[figure]}`
}

function Charts({ insights: { days, importance, health } }: { insights: Insights }) {
  return (
    <>
      <Growth days={days} />
      <div className="columns">
        <Tenths title="Importance" counts={importance} end={1} />
        <Tenths title="Health" counts={health} end={100} />
      </div>
    </>
  )
}

function Growth({ days }: Pick<Insights, 'days'>) {
  const { labels, series, summary } = useMemo(() => {
    const first = days.findIndex(({ created, archived }) => created + archived > 0)
    const shown = days.slice(Math.max(0, Math.min(first, days.length - LEAST_DAYS)))
    const created = shown.map(day => day.created)
    const archived = shown.map(day => day.archived)
    return {
      labels: shown.map(({ date }) => date.slice(5)),
      series: [
        { name: 'Created', values: created, colour: '--accent' },
        { name: 'Archived', values: archived, colour: '--warning' },
      ],
      summary: `${countOf(sum(created), 'memory', 'memories')} created and ${sum(archived)} archived in ${days.length} days`,
    }
  }, [days])
  return (
    <Card title="Growth">
      <p className="hint">{summary}.</p>
      <BarChart summary={summary} axis="Day" labels={labels} series={series} />
    </Card>
  )
}

type TenthsProps = { title: string; counts: readonly number[]; end: number }

/** How many active memories lie in each tenth of a range; nothing where all lie in two of them. */
function Tenths({ title, counts, end }: TenthsProps) {
  const { labels, series, summary } = useMemo(() => {
    const bound = (at: number) => String((at * end) / 10)
    const named = counts.map((_, at) => `${bound(at)}–${bound(at + 1)}`)
    return {
      labels: named,
      series: [{ name: 'Memories', values: counts, colour: '--accent' }],
      summary: `${title}: ${named.map((name, at) => `${name}: ${counts[at]}`).join(', ')}`,
    }
  }, [title, counts, end])
  if (counts.filter(count => count > 0).length < LEAST_POINTS) return null
  return (
    <Card title={title}>
      <BarChart summary={summary} axis={title} labels={labels} series={series} />
    </Card>
  )
}

type SpreadProps = { title: string; counts: Record<string, number>; link?: string }

/** Bars as long as their share of all. */
function Spread({ title, counts, link }: SpreadProps) {
  const shown = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
  const all = sum(shown.map(([, count]) => count))
  if (shown.length === 0) return null
  return (
    <Card title={title}>
      <ul className="bars">
        {shown.map(([name, count]) => (
          <li key={name}>
            <span>
              {link ? <Link href={`${link}${encodeURIComponent(name)}`}>{name}</Link> : inWords(name)}
            </span>
            <span className="track" aria-hidden="true">
              <i style={{ width: `${(100 * count) / all}%` }} />
            </span>
            <span>{count}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const lists = [
  ['Tags', 'listTags', 'tags'],
  ['Sources', 'listSources', 'source'],
  ['Sessions', 'listSessions', 'session'],
  ['Kinds', 'listKinds', 'kind'],
] as const
const LISTED = 8

/** What is in use, and the memories with the most connections. All of it comes at once, so that nothing moves. */
function Values({ stats: { memories, connections }, insights: { most_connected } }: Both) {
  const most = most_connected.slice(0, LISTED)
  const ids = most.map(({ memory_id }) => memory_id)
  const found = useQuery({
    queryKey: ['values', ids],
    queryFn: async ({ signal }) => {
      const [values, named] = await Promise.all([
        Promise.all(lists.map(([, operation]) => client()[operation]({ limit: LISTED }, { signal }))),
        Promise.all(ids.map(id => client().getMemory({ id, record_recall: false }, { signal }))),
      ])
      return { values: values.map(each => each.values), named }
    },
    placeholderData: before => before,
  })
  if (!found.data) return null
  const { values, named } = found.data
  return (
    <div className="columns">
      {lists.map(([title, , parameter], at) => (
        <Spread
          key={title}
          title={title}
          counts={Object.fromEntries((values[at] ?? []).map(({ value, count }) => [value, count]))}
          link={`/memories?${parameter}=`}
        />
      ))}
      <Spread title="Policies" counts={memories.by_policy} link="/memories?policy=" />
      <Spread title="Types of connections" counts={connections.by_type} />
      {named.length > 0 && (
        <Card title="Most connected">
          <ol className="stack">
            {named.map((memory, at) => (
              <li key={memory.id}>
                <Link href={`/memories/${memory.id}`}>{firstLine(memory)}</Link>{' '}
                <span className="hint">{countOf(most[at]?.connections ?? 0, 'connection')}</span>
              </li>
            ))}
          </ol>
        </Card>
      )}
    </div>
  )
}
