import { useQuery } from '@tanstack/react-query'
import { Archive, Pencil, RotateCcw, Trash2, Waypoints } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useAct } from '../../data/acting.ts'
import { useAllowed } from '../../data/allowed.ts'
import { client, isRefused, type Memory, wordsOf } from '../../data/client.ts'
import { usePolicies } from '../../data/policies.ts'
import { Curve } from '../../parts/curve.tsx'
import { Reading } from '../../parts/markdown.tsx'
import { useShortcut } from '../../parts/shortcuts.ts'
import { Card, Confirm, Empty, Loading } from '../../parts/ui.tsx'
import { countOf, firstLine, shortTime } from '../../parts/words.ts'
import { Connections } from './connections.tsx'
import { EditMemory } from './editor.tsx'
import { useRelated } from './related.ts'
import { Timeline } from './timeline.tsx'

/** A memory: its text first, its facts at the side, then what it is connected with and what happened to it. */
export function MemoryView({ id }: { id: string }) {
  const found = useQuery({
    queryKey: ['memory', id],
    queryFn: ({ signal }) =>
      client().getMemory({ id, record_recall: false, include_fades_at: true }, { signal }),
  })
  // What it contradicts stands at the top: it comes together with the text.
  const related = useRelated(id)
  const [isEditing, setEditing] = useState(false)
  if (found.error)
    return (
      <div className="page">
        <Empty
          title={isRefused(found.error, 404) ? 'This memory does not exist any more.' : wordsOf(found.error)}
        >
          <Link href="/memories">All memories</Link>
        </Empty>
      </div>
    )
  if (!found.data || !related.isFetched) return <Loading />
  const memory = found.data
  return (
    <article className="memory" aria-label={firstLine(memory)}>
      <div className="stack">
        {memory.state === 'archived' && (
          <p className="callout">
            Archived{memory.archived_reason ? `: ${memory.archived_reason}` : ''}. Searches do not find it.
          </p>
        )}
        {memory.state === 'active' && <Conflicts memory={memory} />}
        {isEditing ? (
          <EditMemory memory={memory} close={() => setEditing(false)} />
        ) : (
          <>
            <Actions memory={memory} edit={() => setEditing(true)} />
            <Reading text={memory.content} />
          </>
        )}
        <Connections memory={memory} />
        <Timeline memory={memory} />
      </div>
      <div className="stack">
        <Facts memory={memory} fadesAt={memory.fades_at ?? null} />
        <Session memory={memory} />
      </div>
    </article>
  )
}

function Actions({ memory, edit }: { memory: Memory; edit: () => void }) {
  const [, navigate] = useLocation()
  const [isAsking, setAsking] = useState(false)
  const mayWrite = useAllowed('write')
  const { id } = memory
  const act = useAct()
  const archive = () => client().deleteMemory({ id })
  const restore = () => client().restoreMemory({ id })
  const isActive = memory.state === 'active'
  const doArchive = () => act('Archived.', archive, restore)
  useShortcut('e', 'Edit the memory', edit, mayWrite && isActive)
  useShortcut('a', 'Archive the memory', () => void doArchive(), mayWrite && isActive)
  const remove = async () => {
    await client().deleteMemory({ id, hard: true })
    navigate('/memories')
  }
  return (
    <p className="actions">
      {mayWrite && isActive && (
        <>
          <button type="button" className="primary" onClick={edit}>
            <Pencil size={14} aria-hidden /> Edit
          </button>
          <button type="button" onClick={doArchive}>
            <Archive size={14} aria-hidden /> Archive
          </button>
        </>
      )}
      {mayWrite && !isActive && (
        <button type="button" className="primary" onClick={() => act('Restored.', restore, archive)}>
          <RotateCcw size={14} aria-hidden /> Restore
        </button>
      )}
      {isActive && (
        <Link href={`/graph?chosen=${id}`} className="button">
          <Waypoints size={14} aria-hidden /> Show in the graph
        </Link>
      )}
      {mayWrite && (
        <button type="button" className="quiet" onClick={() => setAsking(true)}>
          <Trash2 size={14} aria-hidden /> Remove
        </button>
      )}
      <Confirm
        title="Remove this memory?"
        button="Remove for good"
        open={isAsking}
        change={setAsking}
        act={() => void act('Removed for good.', remove)}
      >
        <p>
          Its versions and connections go with it. You cannot undo this. Archive it to be able to restore it.
        </p>
      </Confirm>
    </p>
  )
}

/** What contradicts the memory, with the button that settles it. */
function Conflicts({ memory }: { memory: Memory }) {
  const act = useAct()
  const mayWrite = useAllowed('write')
  const related = useRelated(memory.id)
  const others = (related.data?.related ?? [])
    .filter(({ connection }) => connection.relationship_type === 'contradicts')
    .map(each => each.memory)
    .filter(({ state }) => state === 'active')
  const keep = (keep_id: string, archive_id: string) =>
    act(
      'One was archived.',
      () => client().resolveConflict({ keep_id, archive_id }),
      () => client().restoreMemory({ id: archive_id }),
    )
  return others.map(other => (
    <section key={other.id} className="callout" aria-label="Conflict">
      <p>
        It contradicts <Link href={`/memories/${other.id}`}>{firstLine(other)}</Link>
      </p>
      {mayWrite && (
        <p className="actions">
          <button type="button" onClick={() => keep(memory.id, other.id)}>
            Keep this memory
          </button>
          <button type="button" onClick={() => keep(other.id, memory.id)}>
            Keep the other
          </button>
        </p>
      )}
    </section>
  ))
}

function Facts({ memory, fadesAt }: { memory: Memory; fadesAt: string | null }) {
  const rules = usePolicies().find(({ name }) => name === memory.policy)
  const isBounded = memory.valid_from !== null || memory.valid_until !== null
  const rows: [string, ReactNode][] = [
    ...list('Private to', memory.owner !== null, memory.owner),
    ['Policy', memory.policy],
    ['Health', `${Math.round(memory.health)} of 100`],
    ['Fades', fadesAt ? `${shortTime(fadesAt)}, if nobody recalls it` : 'Not by itself'],
    ['Importance', memory.importance],
    [
      'Recalled',
      memory.recall_count === 0
        ? 'Never'
        : `${countOf(memory.recall_count, 'time')}, last ${shortTime(memory.last_recalled_at)}`,
    ],
    ...list(
      'Tags',
      memory.tags.length > 0,
      memory.tags.map(tag => <TagLink key={tag} tag={tag} />),
    ),
    ...list('Source', memory.source !== null, <FilterLink name="source" value={memory.source ?? ''} />),
    ...list('Kind', memory.kind !== null, <FilterLink name="kind" value={memory.kind ?? ''} />),
    ...list(
      'Session',
      memory.session_id !== null,
      <FilterLink name="session" value={memory.session_id ?? ''} />,
    ),
    ...list('Holds', isBounded, `${shortTime(memory.valid_from)} to ${shortTime(memory.valid_until)}`),
    ...Object.entries(memory.metadata).map(([name, value]): [string, ReactNode] => [name, String(value)]),
    ['Created', shortTime(memory.created_at)],
    ['Changed', `${shortTime(memory.updated_at)}, version ${memory.version}`],
    ['Embedding', `${memory.embedding.status}, ${memory.embedding.model}`],
    ['Id', <code key="id">{memory.id}</code>],
  ]
  return (
    <Card title="Facts">
      {fadesAt &&
        (rules ? <Curve rules={rules} health={memory.health} isLarge /> : <div className="curve large" />)}
      <dl className="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

/** A fact that a memory may not have. */
const list = (name: string, isThere: boolean, value: ReactNode): [string, ReactNode][] =>
  isThere ? [[name, value]] : []

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
    <Card title="In the same session">
      <ul className="stack">
        {others.map(memory => (
          <li key={memory.id}>
            <Link href={`/memories/${memory.id}`}>{firstLine(memory)}</Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
