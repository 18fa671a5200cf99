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
  if (!stats.data || !insights.data) return <Loading />
  return (
    <div className="page">
      <Figures stats={stats.data} insights={insights.data} />
      <Attention stats={stats.data} insights={insights.data} />
      {stats.data.memories.total >= LEAST_POINTS && <Charts insights={insights.data} />}
      <div className="columns">
        <Values title="Tags" operation="listTags" parameter="tags" />
        <Values title="Sources" operation="listSources" parameter="source" />
        <Values title="Sessions" operation="listSessions" parameter="session" />
        <Values title="Kinds" operation="listKinds" parameter="kind" />
        <Spread title="Policies" counts={stats.data.memories.by_policy} link="/memories?policy=" />
        <Spread title="Types of connections" counts={stats.data.connections.by_type} />
        <MostConnected memories={insights.data.most_connected} />
      </div>
    </div>
  )
}

type Both = { stats: Stats; insights: Insights }

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** The middle of each tenth stands for its memories. */
const meanOf = (tenths: readonly number[]) => {
  const all = sum(tenths)
  return all === 0 ? 0 : sum(tenths.map((count, at) => count * (at + 0.5))) / all / tenths.length
}

function Figures({ stats: { memories, connections, queue }, insights: { days, health } }: Both) {
  const created = days.map(day => day.created)
  const archived = days.map(day => day.archived)
  const [week, before] = [sum(created.slice(-7)), sum(created.slice(-14, -7))]
  const active = memories.by_state.active ?? 0
  return (
    <dl className="figures">
      <Item name="Memories" value={active} trend={runningOf(created, archived, active)}>
        {countOf(memories.by_state.archived ?? 0, 'archived memory', 'archived memories')}
      </Item>
      <Item name="New this week" value={week} trend={created.slice(-28)}>
        {before === week ? 'as many as in the week before' : `${before} in the week before`}
      </Item>
      <Item name="Connections" value={connections.total}>
        {countOf(connections.by_origin.discovered ?? 0, 'discovered one')}
      </Item>
      <Item name="Mean health" value={Math.round(100 * meanOf(health))}>
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

type ItemProps = { name: string; value: number; trend?: readonly number[]; children: React.ReactNode }

const Item = ({ name, value, trend, children }: ItemProps) => (
  <div>
    <dt className="hint">{name}</dt>
    <dd>{value.toLocaleString('en')}</dd>
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
    const created = days.map(day => day.created)
    const archived = days.map(day => day.archived)
    return {
      labels: days.map(({ date }) => date.slice(5)),
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

type Operation = 'listTags' | 'listSources' | 'listSessions' | 'listKinds'

function Values({ title, operation, parameter }: { title: string; operation: Operation; parameter: string }) {
  const found = useQuery({
    queryKey: ['values', operation],
    queryFn: ({ signal }) => client()[operation]({ limit: 8 }, { signal }),
  })
  const counts = Object.fromEntries((found.data?.values ?? []).map(({ value, count }) => [value, count]))
  return <Spread title={title} counts={counts} link={`/memories?${parameter}=`} />
}

function MostConnected({ memories }: { memories: Insights['most_connected'] }) {
  const ids = memories.slice(0, 8).map(({ memory_id }) => memory_id)
  const found = useQuery({
    queryKey: ['most connected', ids],
    queryFn: ({ signal }) =>
      Promise.all(ids.map(id => client().getMemory({ id, record_recall: false }, { signal }))),
    enabled: ids.length > 0,
  })
  if (ids.length === 0) return null
  return (
    <Card title="Most connected">
      <ol className="stack">
        {found.data?.map((memory, at) => (
          <li key={memory.id}>
            <Link href={`/memories/${memory.id}`}>{firstLine(memory)}</Link>{' '}
            <span className="hint">{countOf(memories[at]?.connections ?? 0, 'connection')}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
