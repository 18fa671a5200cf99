import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useAct } from '../../data/acting.ts'
import { client, wordsOf } from '../../data/client.ts'
import { Table } from '../../parts/table.tsx'
import { Card, More } from '../../parts/ui.tsx'
import { firstLine } from '../../parts/words.ts'

/** Pairs of memories that may contradict each other, to confirm or to reject. */
export function Suggestions() {
  const act = useAct()
  const found = useInfiniteQuery({
    queryKey: ['conflicts', 'suggested'],
    queryFn: ({ pageParam, signal }) =>
      client().listConflicts({ status: 'suggested', limit: 20, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: last => last.next_cursor ?? undefined,
  })
  const pairs = found.data?.pages.flatMap(({ conflicts }) => conflicts) ?? []
  if (!found.error && pairs.length === 0) return null
  return (
    <Card title="Suggested conflicts">
      {found.error && <p role="alert">{wordsOf(found.error)}</p>}
      {pairs.length > 0 && (
        <Table columns={['Newer', 'Older', 'Why', 'Is it a conflict?']}>
          {pairs.map(({ source, target, reason }) => (
            <tr key={`${source.id} ${target.id}`}>
              {[source, target].map(each => (
                <td key={each.id}>
                  <Link href={`/memories/${each.id}`}>{firstLine(each)}</Link>
                </td>
              ))}
              <td>{reason}</td>
              <td>
                {(
                  [
                    ['confirmed', 'Confirm'],
                    ['rejected', 'Reject'],
                  ] as const
                ).map(([outcome, word]) => (
                  <button
                    key={outcome}
                    type="button"
                    aria-label={`${word}: ${firstLine(source)}`}
                    onClick={() =>
                      act(`The conflict is ${outcome}.`, () =>
                        client().reviewConflict({ source_id: source.id, target_id: target.id, outcome }),
                      )
                    }
                  >
                    {word}
                  </button>
                ))}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <More of={found} />
    </Card>
  )
}
