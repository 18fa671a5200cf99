import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, Redirect } from 'wouter'
import type { Output } from '../../contract/index.ts'
import { client, wordsOf } from './api.ts'
import { figures } from './insights.tsx'
import { firstLine } from './memories.tsx'

type Figure = keyof typeof figures

const isFigure = (name: string): name is Figure => Object.hasOwn(figures, name)

/** The memories that a figure of the overview counts, and no others. */
export const CareView = ({ figure }: { figure: string }) =>
  isFigure(figure) ? <Listed figure={figure} /> : <Redirect to="/overview" replace />

function Listed({ figure }: { figure: Figure }) {
  const found = useInfiniteQuery({
    queryKey: ['insights', figure],
    queryFn: ({ pageParam, signal }) =>
      client().listInsightMemories({ figure, limit: 50, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: last => last.next_cursor ?? undefined,
  })
  if (found.error) return <p className="page">{wordsOf(found.error)}</p>
  const memories = found.data?.pages.flatMap(page => page.memories) ?? []
  return (
    <div className="page">
      <section className="card">
        <h3>Memories {figures[figure]}</h3>
        {figure === 'near_duplicates' && (
          <p>
            <Link href="/upkeep">Plan a merge of near duplicates</Link>
          </p>
        )}
        {found.isPending && <p className="hint">Looking …</p>}
        {found.data && memories.length === 0 && !found.hasNextPage && <p className="hint">None.</p>}
        <ul>
          {memories.map(each => (
            <Item key={each.memory.id} {...each} />
          ))}
        </ul>
        {found.hasNextPage && (
          <button type="button" onClick={() => void found.fetchNextPage()}>
            Show more
          </button>
        )}
      </section>
    </div>
  )
}

type Each = Output<'listInsightMemories'>['memories'][number]

const Item = ({ memory, near }: Each) => (
  <li>
    <Link href={`/memories/${memory.id}`}>{firstLine(memory)}</Link>
    {near.map(({ memory_id, similarity }) => (
      <span key={memory_id} className="hint">
        {' '}
        <Link href={`/memories/${memory_id}`}>{(100 * similarity).toFixed(1)} % like another</Link>
      </span>
    ))}
  </li>
)
