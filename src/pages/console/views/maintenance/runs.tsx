import { useQuery } from '@tanstack/react-query'
import { useAct } from '../../data/acting.ts'
import { useAddress } from '../../data/address.ts'
import { client, wordsOf } from '../../data/client.ts'
import { Table } from '../../parts/table.tsx'
import { Card, Empty } from '../../parts/ui.tsx'
import { countOf, shortTime } from '../../parts/words.ts'

/** Plans that wait, and runs that can be undone. */
export function Runs() {
  const act = useAct()
  const { set } = useAddress()
  const found = useQuery({
    queryKey: ['runs'],
    queryFn: ({ signal }) => client().listMaintenanceRuns({ limit: 20 }, { signal }),
  })
  const runs = found.data?.runs ?? []
  return (
    <Card title="Runs">
      {found.error && <p role="alert">{wordsOf(found.error)}</p>}
      {found.data && runs.length === 0 && (
        <Empty title="No run yet">
          <p>Each plan that you apply is listed here. You can undo it within seven days.</p>
          <button type="button" onClick={() => set({ tab: 'plan' })}>
            Make a plan
          </button>
        </Empty>
      )}
      {runs.length > 0 && (
        <Table columns={['Time', 'Kind', 'Started by', 'State', 'Changes', '']}>
          {runs.map(({ id, kind, state, origin, at, summary }) => (
            <tr key={id}>
              <td>{shortTime(at)}</td>
              <td>{kind}</td>
              <td>{origin === 'asked' ? 'a caller' : 'the schedule'}</td>
              <td className={state === 'waiting' ? 'warning' : ''}>{state}</td>
              <td>
                {countOf(
                  summary.archive + summary.remove + summary.merge + summary.promote,
                  'memory',
                  'memories',
                )}
              </td>
              <td className="end">
                {(state === 'planned' || state === 'waiting') && (
                  <button
                    type="button"
                    onClick={() =>
                      act(
                        'Applied.',
                        () => client().applyMaintenance({ id }),
                        () => client().undoMaintenance({ id }),
                      )
                    }
                  >
                    Apply
                  </button>
                )}
                {state === 'applied' && (
                  <button
                    type="button"
                    aria-label={`Undo the run of ${shortTime(at)}`}
                    onClick={() => act('Undone.', () => client().undoMaintenance({ id }))}
                  >
                    Undo
                  </button>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
