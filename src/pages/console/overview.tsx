import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { client, wordsOf } from './api.ts'
import { Insights } from './insights.tsx'
import { firstLine } from './memories.tsx'
import { inWords } from './words.ts'

/** What the tenant holds, in figures. */
export function OverviewView() {
  const stats = useQuery({
    queryKey: ['stats'],
    queryFn: ({ signal }) => client().getStats({}, { signal }),
  })
  if (stats.error) return <p className="page">{wordsOf(stats.error)}</p>
  if (!stats.data) return <p className="page">Counting …</p>
  const { memories, connections, queue } = stats.data
  const waiting = memories.embeddings_pending - memories.embeddings_failed
  return (
    <div className="page grid">
      <Insights />
      <Bars
        title={`${memories.total} memories`}
        counts={memories.by_state}
        link={state => `/memories?state=${state}`}
      />
      <Bars title="By policy" counts={memories.by_policy} link={policy => `/memories?policy=${policy}`} />
      <Bars title={`${connections.total} connections`} counts={connections.by_origin} />
      <Bars title="By type" counts={connections.by_type} />
      <Values title="Tags" operation="listTags" parameter="tags" />
      <Values title="Sources" operation="listSources" parameter="source" />
      <Values title="Sessions" operation="listSessions" parameter="session" />
      <Values title="Kinds" operation="listKinds" parameter="kind" />
      <Lists title="Weakest" order_by="health" order="asc" />
      <Lists title="Recalled last" order_by="last_recalled_at" order="desc" />
      <section className="card">
        <h3>Queue</h3>
        <p>
          {queue.depth} jobs wait, {queue.failed} have failed.
        </p>
        {waiting > 0 && <p>{waiting} memories still get a vector.</p>}
        {memories.embeddings_failed > 0 && (
          <p className="warning">
            {memories.embeddings_failed} memories cannot get a vector.{' '}
            <Link href="/operations">The queue</Link> says why.
          </p>
        )}
      </section>
    </div>
  )
}

type BarsProps = { title: string; counts: Record<string, number>; link?: (name: string) => string }

function Bars({ title, counts, link }: BarsProps) {
  const shown = Object.entries(counts).filter(([, count]) => count > 0)
  const most = Math.max(1, ...shown.map(([, count]) => count))
  return (
    <section className="card">
      <h3>{title}</h3>
      {shown.length === 0 && <p className="hint">None.</p>}
      <ul className="bars">
        {shown.map(([name, count]) => (
          <li key={name}>
            <span>{link ? <Link href={link(encodeURIComponent(name))}>{name}</Link> : inWords(name)}</span>
            <meter min={0} max={most} value={count} aria-label={name} />
            <span>{count}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

type Operation = 'listTags' | 'listSources' | 'listSessions' | 'listKinds'

function Values({ title, operation, parameter }: { title: string; operation: Operation; parameter: string }) {
  const found = useQuery({
    queryKey: ['values', operation],
    queryFn: ({ signal }) => client()[operation]({ limit: 12 }, { signal }),
  })
  if (!found.data) return null
  const counts = Object.fromEntries((found.data?.values ?? []).map(({ value, count }) => [value, count]))
  return <Bars title={title} counts={counts} link={value => `/memories?${parameter}=${value}`} />
}

type ListsProps = { title: string; order_by: 'health' | 'last_recalled_at'; order: 'asc' | 'desc' }

function Lists({ title, order_by, order }: ListsProps) {
  const found = useQuery({
    queryKey: ['overview', order_by],
    queryFn: ({ signal }) => client().listMemories({ order_by, order, limit: 8 }, { signal }),
  })
  const shown = found.data?.memories.filter(memory => order_by === 'health' || memory.recall_count > 0)
  return (
    <section className="card">
      <h3>{title}</h3>
      {shown?.length === 0 && <p className="hint">None.</p>}
      <ul>
        {shown?.map(memory => (
          <li key={memory.id}>
            <Link href={`/memories/${memory.id}`}>{firstLine(memory)}</Link>{' '}
            <span className="hint">
              {order_by === 'health' ? Math.round(memory.health) : `${memory.recall_count} recalls`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
