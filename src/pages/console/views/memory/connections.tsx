import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { useAct } from '../../data/acting.ts'
import { useAllowed } from '../../data/allowed.ts'
import { client, type Memory, wordsOf } from '../../data/client.ts'
import { type Type, TypeChoice, useConnect } from '../../parts/connecting.tsx'
import { Card, IconButton } from '../../parts/ui.tsx'
import { firstLine, inWords, shortTime } from '../../parts/words.ts'
import { EditConnection, saidOf } from './edit-connection.tsx'
import { Near } from './near.tsx'
import { type Related, useRelated } from './related.ts'

/** What a memory is connected with; connections can be added and removed. */
export function Connections({ memory }: { memory: Memory }) {
  const act = useAct()
  const { id } = memory
  const mayWrite = useAllowed('write')
  const found = useRelated(id)
  const disconnect = (connection: Shown) => {
    const { source_id, target_id, relationship_type } = connection
    const ends = { source_id, target_id, relationship_type }
    return act(
      'Disconnected.',
      () => client().deleteConnection(ends),
      () => client().createConnection({ ...ends, ...saidOf(connection) }),
    )
  }
  return (
    <Card title="Connections">
      {found.error && <p role="alert">{wordsOf(found.error)}</p>}
      {found.data?.related.length === 0 && <p className="hint">It is connected with nothing yet.</p>}
      {found.data && found.data.related.length > 0 && <Near memory={memory} related={found.data.related} />}
      <ul className="connections">
        {found.data?.related.map(({ memory: other, connection }) => (
          <li key={`${other.id} ${connection.relationship_type}`}>
            <span
              className={connection.relationship_type === 'contradicts' ? 'type contradiction' : 'type'}
              title={connection.origin === 'discovered' ? `found by ${connection.model}` : 'made by a caller'}
            >
              {connection.source_id === id ? '→' : '←'} {inWords(connection.relationship_type)}{' '}
              {connection.strength?.toFixed(2)}
            </span>
            <div>
              <Link href={`/memories/${other.id}`}>{firstLine(other)}</Link>
              <p className="hint">{remarkOf(connection)}</p>
            </div>
            {mayWrite && (
              <span className="actions">
                <EditConnection connection={connection} name={firstLine(other)} />
                <IconButton
                  label={`Disconnect ${firstLine(other)}`}
                  icon={X}
                  onClick={() => void disconnect(connection)}
                />
              </span>
            )}
          </li>
        ))}
      </ul>
      {mayWrite && memory.state === 'active' && <Connect memory={memory} />}
    </Card>
  )
}

type Shown = Related[number]['connection']

/** Why two memories are connected, and when. */
const remarkOf = ({ reason, valid_from, valid_until }: Shown) =>
  [
    ...(reason === null ? [] : [reason]),
    ...(valid_from === null ? [] : [`from ${shortTime(valid_from)}`]),
    ...(valid_until === null ? [] : [`until ${shortTime(valid_until)}`]),
  ].join(', ')

const SUGGESTED = 5

/** Finds the memory to connect with by a search. */
function Connect({ memory }: { memory: Memory }) {
  const connect = useConnect()
  const [query, setQuery] = useState('')
  const [asked, setAsked] = useState('')
  const [type, setType] = useState<Type>('related_to')
  const found = useQuery({
    queryKey: ['connect', asked],
    queryFn: ({ signal }) =>
      client().searchMemories(
        { query: asked, search_type: 'hybrid', limit: SUGGESTED + 1, min_relevance: 'auto' },
        { signal },
      ),
    enabled: asked !== '',
  })
  const connectWith = (target: Memory) => {
    const ends = { source_id: memory.id, target_id: target.id, relationship_type: type }
    return connect(`Connected with “${firstLine(target)}”.`, ends, () => {
      setAsked('')
      setQuery('')
    })
  }
  const search = (event: FormEvent) => {
    event.preventDefault()
    setAsked(query.trim())
  }
  const others = found.data?.results.filter(({ memory: other }) => other.id !== memory.id) ?? []
  return (
    <form className="connect" onSubmit={search}>
      <TypeChoice type={type} choose={setType} />
      <input
        type="search"
        aria-label="Memory to connect with"
        placeholder="Find the memory to connect with"
        value={query}
        onChange={event => setQuery(event.target.value)}
      />
      <button type="submit">Find</button>
      {asked !== '' && (
        <ul>
          {others.slice(0, SUGGESTED).map(({ memory: other }) => (
            <li key={other.id}>
              <button type="button" className="quiet" onClick={() => connectWith(other)}>
                Connect with “{firstLine(other)}”
              </button>
            </li>
          ))}
          {found.data && others.length === 0 && <li className="hint">No other memory was found.</li>}
        </ul>
      )}
    </form>
  )
}
