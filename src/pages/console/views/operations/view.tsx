import { useQuery } from '@tanstack/react-query'
import { useAct } from '../../data/acting.ts'
import { client, wordsOf } from '../../data/client.ts'
import { Table } from '../../parts/table.tsx'
import { Together } from '../../parts/together.tsx'
import { Card, Empty } from '../../parts/ui.tsx'
import { countOf, shortTime } from '../../parts/words.ts'
import { Audit, Tenants } from './records.tsx'
import { Spaces } from './spaces.tsx'

/** The parts of the service, the queue, the embedding spaces, the tenants and the audit log. */
export const OperationsView = () => (
  <Together>
    <Health />
    <Queue />
    <Model />
    <Spaces />
    <Tenants />
    <Audit />
  </Together>
)

function Health() {
  const found = useQuery({
    queryKey: ['ready'],
    queryFn: ({ signal }) => client().getReadiness({}, { signal }),
    refetchInterval: 10_000,
  })
  return (
    <Card title="Health">
      {found.error && <p role="alert">{wordsOf(found.error)}</p>}
      <Table columns={['Part', 'State', 'Detail']}>
        {Object.entries(found.data?.checks ?? {}).map(([name, { status, detail }]) => (
          <tr key={name}>
            <td>{name}</td>
            <td className={status === 'up' ? 'good' : 'warning'}>{status}</td>
            <td>{detail ?? ''}</td>
          </tr>
        ))}
      </Table>
    </Card>
  )
}

/** Nothing where no chat model is set. */
function Model() {
  const found = useQuery({
    queryKey: ['stats'],
    queryFn: ({ signal }) => client().getStats({}, { signal }),
    refetchInterval: 10_000,
  })
  const model = found.data?.model
  if (!model) return null
  const { name, status, detail, calls_today, tokens_today, daily_tokens } = model
  return (
    <Card title="Chat model">
      <Table columns={['Model', 'State', 'Detail', 'Calls today', 'Tokens today', 'Tokens a day']}>
        <tr>
          <td>{name}</td>
          <td className={status === 'up' ? 'good' : 'warning'}>{status}</td>
          <td>{detail ?? ''}</td>
          <td>{calls_today}</td>
          <td>{tokens_today}</td>
          <td>{daily_tokens ?? 'no limit'}</td>
        </tr>
      </Table>
    </Card>
  )
}

function Queue() {
  const act = useAct()
  const found = useQuery({
    queryKey: ['jobs'],
    queryFn: async ({ signal }) => {
      const [all, failed] = await Promise.all([
        client().listJobs({ limit: 20 }, { signal }),
        client().listJobs({ limit: 20, state: 'failed' }, { signal }),
      ])
      return { ...all, jobs: [...failed.jobs, ...all.jobs.filter(({ state }) => state !== 'failed')] }
    },
  })
  const { counts = {}, jobs = [], paused_until = null } = found.data ?? {}
  const sums = Object.entries(counts).filter(([, count]) => count > 0)
  const until = () => new Date(Date.now() + 3_600_000).toISOString()
  const resume = () => client().resumeQueue({})
  const pause = () => client().pauseQueue({ until: until() })
  return (
    <Card
      title="Queue"
      actions={
        <>
          {jobs.some(({ state }) => state === 'failed') && (
            <button
              type="button"
              onClick={() =>
                act(
                  ({ retried }) => `Queued again: ${countOf(retried, 'job')}.`,
                  () => client().retryJobs({}),
                )
              }
            >
              Retry all
            </button>
          )}
          {paused_until ? (
            <button type="button" onClick={() => act('Resumed.', resume, pause)}>
              Resume
            </button>
          ) : (
            <button type="button" onClick={() => act('Paused for an hour.', pause, resume)}>
              Pause for an hour
            </button>
          )}
        </>
      }
    >
      {found.error && <p role="alert">{wordsOf(found.error)}</p>}
      {paused_until && <p className="warning">Paused until {shortTime(paused_until)}.</p>}
      {found.data && jobs.length === 0 && (
        <Empty title="The queue is empty">
          <p>Embeddings and connections are computed here after each write. Store a memory to see its job.</p>
        </Empty>
      )}
      {sums.length > 0 && <p>{sums.map(([state, count]) => `${count} ${state}`).join(', ')}</p>}
      {jobs.length > 0 && (
        <Table columns={['Job', 'State', 'Attempts', 'Next', 'Last error', '']}>
          {jobs.map(({ id, kind, state, attempt, run_at, last_error }) => (
            <tr key={id}>
              <td>{kind}</td>
              <td className={state === 'failed' ? 'warning' : ''}>{state}</td>
              <td>{attempt}</td>
              <td>{shortTime(run_at)}</td>
              <td>{last_error ?? ''}</td>
              <td className="end">
                {state === 'failed' && (
                  <button type="button" onClick={() => act('Queued again.', () => client().retryJob({ id }))}>
                    Retry
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
