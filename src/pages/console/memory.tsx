import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import Markdown from 'react-markdown'
import { Link, useLocation } from 'wouter'
import { useAct } from './acting.ts'
import { useAllowed } from './allowed.ts'
import { client, isRefused, type Memory, wordsOf } from './api.ts'
import { Connections } from './connections.tsx'
import { EditMemory } from './editor.tsx'
import { History } from './history.tsx'
import { firstLine } from './memories.tsx'
import { shortTime } from './words.ts'

/** A memory with everything that is known about it. */
export function MemoryView({ id }: { id: string }) {
  const found = useQuery({
    queryKey: ['memory', id],
    queryFn: ({ signal }) =>
      client().getMemory({ id, record_recall: false, include_fades_at: true }, { signal }),
  })
  const [isEditing, setEditing] = useState(false)
  if (found.error)
    return (
      <div className="page">
        <p role="alert">
          {isRefused(found.error, 404) ? 'This memory does not exist any more.' : wordsOf(found.error)}
        </p>
        <Link href="/memories">All memories</Link>
      </div>
    )
  if (!found.data) return <p className="page">Reading …</p>
  const memory = found.data
  return (
    <article className="page memory" aria-label={firstLine(memory)}>
      {memory.state === 'archived' && (
        <p className="warning">
          Archived{memory.archived_reason ? `: ${memory.archived_reason}` : ''}. Searches do not find it.
        </p>
      )}
      {isEditing ? (
        <EditMemory memory={memory} close={() => setEditing(false)} />
      ) : (
        <>
          <div className="content">
            <Markdown skipHtml components={{ img: ({ alt }) => <em>{alt}</em> }}>
              {memory.content}
            </Markdown>
          </div>
          <Actions memory={memory} edit={() => setEditing(true)} />
        </>
      )}
      <Facts memory={memory} fadesAt={memory.fades_at ?? null} />
      <Connections memory={memory} />
      <Session memory={memory} />
      <History memory={memory} />
    </article>
  )
}

function Actions({ memory, edit }: { memory: Memory; edit: () => void }) {
  const [, navigate] = useLocation()
  const [isSure, setSure] = useState(false)
  const mayWrite = useAllowed('write')
  const { id } = memory
  const act = useAct()
  const archive = () => client().deleteMemory({ id })
  const restore = () => client().restoreMemory({ id })
  const remove = async () => {
    await client().deleteMemory({ id, hard: true })
    navigate('/memories')
  }
  if (!mayWrite) return null
  return (
    <p className="actions">
      {memory.state === 'active' ? (
        <>
          <button type="button" className="primary" onClick={edit}>
            Edit
          </button>
          <button type="button" onClick={() => act('Archived.', archive, restore)}>
            Archive
          </button>
        </>
      ) : (
        <button type="button" className="primary" onClick={() => act('Restored.', restore, archive)}>
          Restore
        </button>
      )}
      {isSure ? (
        <>
          <span>It cannot be undone.</span>
          <button type="button" className="danger" onClick={() => act('Removed for good.', remove)}>
            Remove for good
          </button>
          <button type="button" onClick={() => setSure(false)}>
            Keep it
          </button>
        </>
      ) : (
        <button type="button" onClick={() => setSure(true)}>
          Remove …
        </button>
      )}
    </p>
  )
}

function Facts({ memory, fadesAt }: { memory: Memory; fadesAt: string | null }) {
  const rows: [string, ReactNode][] = [
    ['Policy', memory.policy],
    ['Health', `${Math.round(memory.health)} of 100`],
    ['Fades', fadesAt ? `${shortTime(fadesAt)}, if nobody recalls it` : 'not by itself'],
    ['Importance', memory.importance],
    ['Recalled', `${memory.recall_count} times, last ${shortTime(memory.last_recalled_at)}`],
    ['Tags', memory.tags.map(tag => <TagLink key={tag} tag={tag} />)],
    ['Source', memory.source ? <FilterLink name="source" value={memory.source} /> : '–'],
    ['Kind', memory.kind ? <FilterLink name="kind" value={memory.kind} /> : '–'],
    ['Session', memory.session_id ? <FilterLink name="session" value={memory.session_id} /> : '–'],
    ['Holds', `${shortTime(memory.valid_from)} to ${shortTime(memory.valid_until)}`],
    ...Object.entries(memory.metadata).map(([name, value]): [string, ReactNode] => [name, String(value)]),
    ['Created', shortTime(memory.created_at)],
    ['Changed', `${shortTime(memory.updated_at)}, version ${memory.version}`],
    ['Embedding', `${memory.embedding.status}, ${memory.embedding.model}`],
    ['Id', <code key="id">{memory.id}</code>],
  ]
  return (
    <section className="card" aria-label="Facts">
      <dl className="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const FilterLink = ({ name, value }: { name: string; value: string }) => (
  <Link href={`/memories?${name}=${encodeURIComponent(value)}`}>{value}</Link>
)

const TagLink = ({ tag }: { tag: string }) => (
  <Link className="tag" href={`/memories?tags=${encodeURIComponent(tag)}`}>
    {tag}
  </Link>
)

/** The other memories of its conversation or document. */
function Session({ memory: { id, session_id } }: { memory: Memory }) {
  const found = useQuery({
    queryKey: ['session', session_id],
    queryFn: ({ signal }) =>
      client().listMemories({ session_id: session_id as string, order: 'asc', limit: 50 }, { signal }),
    enabled: session_id !== null,
  })
  const others = found.data?.memories.filter(memory => memory.id !== id) ?? []
  if (others.length === 0) return null
  return (
    <section className="card">
      <h3>In the same session</h3>
      <ul>
        {others.map(memory => (
          <li key={memory.id}>
            <Link href={`/memories/${memory.id}`}>{firstLine(memory)}</Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
