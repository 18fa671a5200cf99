import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { keepAccess, readAccess } from '../shared/access.ts'
import { addressOf } from '../shared/place.ts'
import { client } from './api.ts'
import { Head } from './head.tsx'
import { shortTime } from './words.ts'

const PAGE = 20

/** Who did what, newest first. */
export function Audit() {
  const found = useInfiniteQuery({
    queryKey: ['audit'],
    queryFn: ({ pageParam, signal }) =>
      client().listAudit(
        { limit: PAGE, ...(pageParam === undefined ? {} : { before: pageParam }) },
        { signal },
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: last => last.next_before ?? undefined,
  })
  const entries = found.data?.pages.flatMap(page => page.entries) ?? []
  return (
    <section className="card">
      <h3>Audit log</h3>
      {found.data && entries.length === 0 && <p className="hint">Nothing has been recorded yet.</p>}
      {entries.length > 0 && (
        <table>
          <Head columns={['Time', 'Key', 'Operation', 'Outcome', 'Target']} />
          <tbody>
            {entries.map(entry => (
              <tr key={entry.id}>
                <td>{entry.at.slice(0, 19).replace('T', ' ')}</td>
                <td>{entry.key_name ?? entry.key_id ?? '–'}</td>
                <td>{entry.operation}</td>
                <td className={entry.outcome === 'ok' ? '' : 'warning'}>{entry.outcome}</td>
                <td>{entry.target ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found.hasNextPage && (
        <button type="button" onClick={() => void found.fetchNextPage()}>
          Earlier entries
        </button>
      )}
    </section>
  )
}

/** All tenants, for the operator alone: a button leads into each. */
export function Tenants() {
  const found = useQuery({
    queryKey: ['tenants'],
    queryFn: ({ signal }) => client().listTenants({ limit: 200 }, { signal }),
    retry: false,
  })
  if (!found.data) return null
  const open = (tenant: string) => {
    keepAccess({ key: readAccess()?.key ?? '', tenant })
    location.assign(addressOf('/console'))
  }
  return (
    <section className="card">
      <h3>Tenants</h3>
      <table>
        <Head columns={['Tenant', 'Active', 'Archived', 'Quota', 'Keys', 'Last write']} />
        <tbody>
          {found.data.tenants.map(({ tenant, memories, quota, keys, last_write_at }) => (
            <tr key={tenant}>
              <td>
                <button type="button" className="quiet" onClick={() => open(tenant)}>
                  {tenant}
                </button>
              </td>
              <td>{memories.active}</td>
              <td>{memories.archived}</td>
              <td>{quota?.memories ?? '–'}</td>
              <td>{keys}</td>
              <td>{shortTime(last_write_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {found.data.next_after !== null && (
        <p className="hint">There are more: use `mnemograph tenants list`.</p>
      )}
    </section>
  )
}
