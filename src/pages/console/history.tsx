import { useQuery } from '@tanstack/react-query'
import { diffWords } from 'diff'
import { useState } from 'react'
import { useAct } from './acting.ts'
import { useAllowed } from './allowed.ts'
import { client, type Memory } from './api.ts'
import { shortTime } from './words.ts'

/** The versions of a memory; each can be made the current one again. */
export function History({ memory: { id, version, state } }: { memory: Memory }) {
  const act = useAct()
  const [isOpen, setOpen] = useState(false)
  const found = useQuery({
    queryKey: ['history', id, version],
    queryFn: ({ signal }) => client().getMemoryHistory({ id }, { signal }),
    enabled: isOpen,
  })
  const mayWrite = useAllowed('write')
  const revert = (to: number) =>
    act(`It is as in version ${to}.`, () =>
      client().revertMemory({ id, version: to }, { headers: { 'if-match': `"${version}"` } }),
    )
  return (
    <details className="card" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>History</summary>
      <ol className="history">
        {found.data?.versions.map((each, at, all) => (
          <li key={each.version}>
            <p>
              <strong>Version {each.version}</strong> · {shortTime(each.at)} · {each.author ?? 'unknown'}
              {each.changed.length > 0 && ` · changed: ${each.changed.join(', ')}`}
              {each.reason && ` · ${each.reason}`}
              {mayWrite && each.version < version && state === 'active' && (
                <button type="button" onClick={() => revert(each.version)}>
                  Make it current
                </button>
              )}
            </p>
            <Content text={each.memory.content} before={all[at + 1]?.memory.content} />
          </li>
        ))}
      </ol>
      {found.data?.has_more && <p className="hint">There are earlier versions.</p>}
    </details>
  )
}

/** The text of a version, with what it took away from the one before and what it added. */
function Content({ text, before = text }: { text: string; before: string | undefined }) {
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
