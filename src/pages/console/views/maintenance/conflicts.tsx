import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useAct } from '../../data/acting.ts'
import { client, wordsOf } from '../../data/client.ts'
import { Table } from '../../parts/table.tsx'
import { Card, Empty, More } from '../../parts/ui.tsx'
import { firstLine } from '../../parts/words.ts'
import { Suggestions } from './suggestions.tsx'

/** Pairs of memories that contradict each other, and those that may. */
export const Conflicts = () => (
  <>
    <Known />
    <Suggestions />
  </>
)

function Known() {
  const act = useAct()
  const found = useInfiniteQuery({
    queryKey: ['conflicts', 'confirmed'],
    queryFn: ({ pageParam, signal }) => client().listConflicts({ limit: 20, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: last => last.next_cursor ?? undefined,
  })
  const resolve = (keep_id: string, archive_id: string) =>
    act(
      'One was archived.',
      () => client().resolveConflict({ keep_id, archive_id }),
      () => client().restoreMemory({ id: archive_id }),
    )
  const pairs = found.data?.pages.flatMap(({ conflicts }) => conflicts) ?? []
  return (
    <Card title="Conflicts">
      {found.error && <p role="alert">{wordsOf(found.error)}</p>}
      {found.data && pairs.length === 0 && (
        <Empty title="No memories contradict each other">
          <p>
            Connect two memories with the type contradicts, or store one that supersedes another. You decide
            here which of the two stays.
          </p>
          <Link href="/memories" className="button">
            Go to the memories
          </Link>
        </Empty>
      )}
      {pairs.length > 0 && (
        <Table columns={['One', 'The other']}>
          {pairs.map(({ source, target }) => (
            <tr key={`${source.id} ${target.id}`}>
              {[[source, target] as const, [target, source] as const].map(([one, other]) => (
                <td key={one.id}>
                  <p>
                    <Link href={`/memories/${one.id}`}>{firstLine(one)}</Link>
                  </p>
                  <button
                    type="button"
                    aria-label={`Keep this one: ${firstLine(one)}`}
                    onClick={() => resolve(one.id, other.id)}
                  >
                    Keep this one
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </Table>
      )}
      <More of={found} />
    </Card>
  )
}
