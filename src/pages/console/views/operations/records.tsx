import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { client } from '../../data/client.ts'
import { Table } from '../../parts/table.tsx'
import { Card, Empty, More } from '../../parts/ui.tsx'
import { shortTime } from '../../parts/words.ts'
import { openTenant } from '../../shell/going.ts'

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
    <Card title="Audit log">
      {found.data && entries.length === 0 && (
        <Empty title="Nothing has been recorded yet">
          <p>Each administrative operation is listed here: keys, erasures, imports, maintenance.</p>
        </Empty>
      )}
      {entries.length > 0 && (
        <Table columns={['Time', 'Key', 'Operation', 'Outcome', 'Target']}>
          {entries.map(entry => (
            <tr key={entry.id}>
              <td>{entry.at.slice(0, 19).replace('T', ' ')}</td>
              <td>{entry.key_name ?? entry.key_id ?? '–'}</td>
              <td>{entry.operation}</td>
              <td className={entry.outcome === 'ok' ? '' : 'warning'}>{entry.outcome}</td>
              <td>{entry.target ?? '–'}</td>
            </tr>
          ))}
        </Table>
      )}
      <More of={found}>Earlier entries</More>
    </Card>
  )
}

/** All tenants, for the operator alone: a button leads into each. */
export function Tenants() {
  const found = useQuery({
    queryKey: ['all tenants'],
    queryFn: ({ signal }) => client().listTenants({ limit: 200 }, { signal }),
    retry: false,
  })
  if (!found.data) return null
  return (
    <Card title="Tenants">
      <Table columns={['Tenant', 'Active', 'Archived', 'Quota', 'Keys', 'Last write']}>
        {found.data.tenants.map(({ tenant, memories, quota, keys, last_write_at }) => (
          <tr key={tenant}>
            <td>
              <button type="button" className="quiet" onClick={() => openTenant(tenant)}>
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
      </Table>
      {found.data.next_after !== null && (
        <p className="hint">There are more: use `mnemograph tenants list`.</p>
      )}
    </Card>
  )
}
