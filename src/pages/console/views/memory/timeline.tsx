import { useQuery } from '@tanstack/react-query'
import { diffWords } from 'diff'
import type { ReactNode } from 'react'
import { useAct } from '../../data/acting.ts'
import { useAllowed } from '../../data/allowed.ts'
import { client, type Memory } from '../../data/client.ts'
import { Card } from '../../parts/ui.tsx'
import { countOf, firstLine, inWords, shortTime } from '../../parts/words.ts'
import { useRelated } from './related.ts'

type Moment = { at: string; key: string; show: ReactNode }

/** What happened to a memory, newest first: its versions, its connections and its last recall. */
export function Timeline({ memory }: { memory: Memory }) {
  const { id, version, state, last_recalled_at, recall_count } = memory
  const act = useAct()
  const mayWrite = useAllowed('write')
  const history = useQuery({
    queryKey: ['history', id, version],
    queryFn: ({ signal }) => client().getMemoryHistory({ id }, { signal }),
    placeholderData: before => before,
  })
  const related = useRelated(id)
  if (!history.isFetched) return null
  const revert = (to: number) =>
    act(
      `It is as in version ${to}.`,
      () => client().revertMemory({ id, version: to }, { headers: { 'if-match': `"${version}"` } }),
      () => client().revertMemory({ id, version }),
    )
  const moments: Moment[] = [
    ...(history.data?.versions ?? []).map((each, at, all) => ({
      at: each.at,
      key: `version ${each.version}`,
      show: (
        <>
          <p className="actions">
            <span>
              <strong>Version {each.version}</strong> · {shortTime(each.at)} · {each.author ?? 'unknown'}
              {each.changed.length > 0 && ` · changed: ${each.changed.join(', ')}`}
              {each.reason && ` · ${each.reason}`}
            </span>
            {mayWrite && each.version < version && state === 'active' && (
              <button type="button" onClick={() => revert(each.version)}>
                Make it current
              </button>
            )}
          </p>
          <Difference text={each.memory.content} before={all[at + 1]?.memory.content} />
        </>
      ),
    })),
    ...(related.data?.related ?? []).map(({ memory: other, connection }) => ({
      at: connection.created_at,
      key: `${other.id} ${connection.relationship_type}`,
      show: (
        <p>
          <strong>{connection.origin === 'discovered' ? 'Discovered' : 'Connected'}</strong> ·{' '}
          {shortTime(connection.created_at)} · {inWords(connection.relationship_type)}: {firstLine(other)}
        </p>
      ),
    })),
    ...(last_recalled_at === null
      ? []
      : [
          {
            at: last_recalled_at,
            key: 'recall',
            show: (
              <p>
                <strong>Recalled</strong> · {shortTime(last_recalled_at)} · {countOf(recall_count, 'recall')}{' '}
                so far
              </p>
            ),
          },
        ]),
  ]
  return (
    <Card title="Timeline">
      <ol className="timeline">
        {moments
          .toSorted((a, b) => (a.at < b.at ? 1 : -1))
          .map(({ key, show }) => (
            <li key={key}>{show}</li>
          ))}
      </ol>
      {history.data?.has_more && <p className="hint">There are earlier versions.</p>}
    </Card>
  )
}

/** What a version took away from the text of the one before, and added. Nothing where the text stayed. */
function Difference({ text, before }: { text: string; before: string | undefined }) {
  if (before === undefined || before === text) return null
  let place = 0
  const parts = diffWords(before, text).map(part => ({ ...part, place: place++ }))
  return (
    <pre>
      {parts.map(({ value, added, removed, place: key }) =>
        added ? <ins key={key}>{value}</ins> : removed ? <del key={key}>{value}</del> : value,
      )}
    </pre>
  )
}
