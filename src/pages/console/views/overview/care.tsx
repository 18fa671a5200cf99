import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, Redirect } from 'wouter'
import type { Output } from '../../../../contract/index.ts'
import { client, wordsOf } from '../../data/client.ts'
import { Card, Empty, More } from '../../parts/ui.tsx'
import { firstLine } from '../../parts/words.ts'
import { figures } from './figures.ts'

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
      <Card title={`Memories ${figures[figure]}`}>
        {figure === 'near_duplicates' && (
          <p>
            <Link href="/maintenance?tab=plan&kind=merge">Plan a merge of near duplicates</Link>
          </p>
        )}
        {found.data && memories.length === 0 && !found.hasNextPage && (
          <Empty title="No memory any more">
            <Link href="/overview">Back to the overview</Link>
          </Empty>
        )}
        <ul className="stack">
          {memories.map(each => (
            <Item key={each.memory.id} {...each} />
          ))}
        </ul>
        <More of={found} />
      </Card>
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
