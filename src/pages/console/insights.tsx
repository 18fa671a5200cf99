import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { Output } from '../../contract/index.ts'
import { client } from './api.ts'
import { BarChart } from './charts.tsx'
import { firstLine } from './memories.tsx'
import { countOf } from './words.ts'

type Insights = Output<'getInsights'>

const DAYS = 90

/** How the memories grow, how they are spread, and which need care. */
export function Insights() {
  const found = useQuery({
    queryKey: ['insights'],
    queryFn: ({ signal }) => client().getInsights({ days: DAYS }, { signal }),
    // The service reads every memory for it.
    meta: { isLarge: true },
  })
  if (!found.data) return null
  const { importance, health, most_connected } = found.data
  return (
    <>
      <Growth insights={found.data} />
      <Tenths title="Importance" counts={importance} end={1} />
      <Tenths title="Health" counts={health} end={100} />
      <Care insights={found.data} />
      <MostConnected memories={most_connected} />
    </>
  )
}

function Growth({ insights: { days } }: { insights: Insights }) {
  const { labels, series, summary } = useMemo(() => {
    const created = days.map(day => day.created)
    const archived = days.map(day => day.archived)
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
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
    <section className="card wide">
      <h3>Growth</h3>
      <p className="hint">{summary}.</p>
      <BarChart summary={summary} axis="Day" labels={labels} series={series} />
    </section>
  )
}

type TenthsProps = { title: string; counts: readonly number[]; end: number }

/** How many active memories lie in each tenth of a range. */
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
  return (
    <section className="card">
      <h3>{title}</h3>
      <BarChart summary={summary} axis={title} labels={labels} series={series} />
    </section>
  )
}

/** What counts as a figure, in words behind its number. */
export const figures = {
  fading: 'with a health below 20',
  unconnected: 'without a connection',
  never_recalled: 'that nobody recalled within half of their time',
  near_duplicates: 'with a near duplicate',
  outliers: 'far from all others',
} as const

type Figure = keyof typeof figures

/** The figures that a person can improve, each with the memories that it counts. */
function Care({ insights }: { insights: Insights }) {
  const { conflicts } = insights
  return (
    <section className="card">
      <h3>Needs care</h3>
      <ul>
        <li>
          {countOf(conflicts, 'contradiction')} {conflicts > 0 && <Link href="/upkeep">Resolve</Link>}
        </li>
        {Object.entries(figures).map(([figure, words]) => (
          <Counted key={figure} figure={figure} words={words} counted={insights[figure as Figure]} />
        ))}
      </ul>
    </section>
  )
}

type CountedProps = { figure: string; words: string; counted: Insights[Figure] }

function Counted({ figure, words, counted }: CountedProps) {
  const { count, complete } = typeof counted === 'number' ? { count: counted, complete: true } : counted
  return (
    <li>
      {!complete && 'At least '}
      {countOf(count, 'memory', 'memories')} {words}{' '}
      {(count > 0 || !complete) && <Link href={`/insights/${figure}`}>Show</Link>}
    </li>
  )
}

function MostConnected({ memories }: { memories: Insights['most_connected'] }) {
  const ids = memories.map(({ memory_id }) => memory_id)
  const found = useQuery({
    queryKey: ['most connected', ids],
    queryFn: ({ signal }) =>
      Promise.all(ids.map(id => client().getMemory({ id, record_recall: false }, { signal }))),
    enabled: ids.length > 0,
  })
  return (
    <section className="card">
      <h3>Most connected</h3>
      {ids.length === 0 && <p className="hint">None.</p>}
      <ol>
        {found.data?.map((memory, at) => (
          <li key={memory.id}>
            <Link href={`/memories/${memory.id}`}>{firstLine(memory)}</Link>{' '}
            <span className="hint">{countOf(memories[at]?.connections ?? 0, 'connection')}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}
