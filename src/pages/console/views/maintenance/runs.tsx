import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAct } from '../../data/acting.ts'
import { useAddress } from '../../data/address.ts'
import { client, wordsOf } from '../../data/client.ts'
import { Table } from '../../parts/table.tsx'
import { Card, Empty } from '../../parts/ui.tsx'
import { countOf, shortTime } from '../../parts/words.ts'
import { Changes } from './planning.tsx'

const starters = { asked: 'a caller', scheduled: 'the schedule', model: 'the chat model' } as const

/** Plans that wait, and runs that can be undone. */
export function Runs() {
  const act = useAct()
  const { set } = useAddress()
  const [shown, setShown] = useState<string>()
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
              <td>{starters[origin]}</td>
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
                    aria-expanded={shown === id}
                    aria-label={`Show the plan of ${shortTime(at)}`}
                    onClick={() => setShown(shown === id ? undefined : id)}
                  >
                    Show
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
      {shown && <WaitingPlan key={shown} id={shown} close={() => setShown(undefined)} />}
    </Card>
  )
}

/** A plan is applied from where its changes are shown. */
function WaitingPlan({ id, close }: { id: string; close: () => void }) {
  const act = useAct()
  const found = useQuery({
    queryKey: ['run', id],
    queryFn: ({ signal }) => client().getMaintenanceRun({ id }, { signal }),
  })
  const apply = () =>
    act(
      'Applied.',
      async () => {
        await client().applyMaintenance({ id })
        close()
      },
      () => client().undoMaintenance({ id }),
    )
  if (found.error) return <p role="alert">{wordsOf(found.error)}</p>
  return found.data ? <Changes changes={found.data.changes} id={id} apply={apply} /> : null
}
