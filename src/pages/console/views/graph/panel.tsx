import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAddress } from '../../data/address.ts'
import { useAllowed } from '../../data/allowed.ts'
import { wordsOf } from '../../data/client.ts'
import { stateOf } from '../../data/finding.ts'
import { type Type, TypeChoice, useConnect } from '../../parts/connecting.tsx'
import { IconButton } from '../../parts/ui.tsx'
import { countOf, firstLine, inWords } from '../../parts/words.ts'
import { type Looked, lookAt, type Neighbour } from './asking.ts'
import { asOfOf } from './time.tsx'

type Props = { id: string; choose: (id: string | undefined) => void }

/** The chosen memory, what it is connected with, and what can be done from here. */
export function Panel({ id, choose }: Props) {
  const { get } = useAddress()
  const asOf = asOfOf(get)
  const archived = stateOf(get) !== 'active'
  const found = useQuery({
    queryKey: ['look', id, asOf, archived],
    queryFn: async ({ signal }) => (await lookAt({ id, asOf, archived }, signal)) ?? null,
  })
  if (found.error) return <p role="alert">{wordsOf(found.error)}</p>
  if (found.isPending) return null
  if (!found.data)
    return (
      <>
        <p>
          {asOf === undefined
            ? 'This memory is archived, or does not exist any more.'
            : 'This memory was not there at that time.'}
        </p>
        <Link href={`/memories/${id}`}>Open it</Link>
      </>
    )
  const memory = found.data
  return (
    <>
      <header>
        <h2>{firstLine(memory)}</h2>
        <IconButton label="Close" icon={X} onClick={() => choose(undefined)} />
      </header>
      <p className="excerpt">{memory.content.slice(0, 400)}</p>
      <p className="hint">
        {memory.state === 'ARCHIVED' && 'archived · '}
        {memory.policy} · importance {memory.importance}{' '}
        {memory.tags.map(tag => (
          <span key={tag} className="tag">
            {tag}
          </span>
        ))}
      </p>
      <Actions memory={memory} />
      <h3>{countOf(memory.neighbours.length, 'connection')}</h3>
      <ul aria-label="Connections">
        {memory.neighbours.map(each => (
          <li key={`${each.id} ${each.kind}`}>
            <button type="button" className="quiet" onClick={() => choose(each.id)}>
              <small>{wordsFor(each)}</small> {firstLine({ content: each.title })}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

const wordsFor = ({ isOut, kind, strength, origin }: Neighbour) =>
  `${isOut ? '→' : '←'} ${inWords(kind)}${strength === null ? '' : ` ${strength.toFixed(2)}`} · ${origin}`

function Actions({ memory }: { memory: Looked }) {
  const { get, set } = useAddress()
  const from = get('from')
  const mayWrite = useAllowed('write')
  const open = (
    <Link href={`/memories/${memory.id}`} className="button primary">
      Open
    </Link>
  )
  // Paths and connections are between active memories.
  if (memory.state === 'ARCHIVED') return <p className="actions">{open}</p>
  return (
    <>
      <p className="actions">
        {open}
        <button type="button" onClick={() => set({ from: memory.id, to: '' })}>
          Path from here
        </button>
        {from !== '' && from !== memory.id && (
          <button type="button" onClick={() => set({ to: memory.id })}>
            Path to here
          </button>
        )}
      </p>
      {mayWrite && from !== '' && from !== memory.id && <Connect from={from} memory={memory} />}
    </>
  )
}

/** Connects the memory where a path begins with the chosen one. */
function Connect({ from, memory }: { from: string; memory: Looked }) {
  const connect = useConnect()
  const [type, setType] = useState<Type>('related_to')
  return (
    <p className="actions">
      <TypeChoice type={type} choose={setType} />
      <button
        type="button"
        onClick={() =>
          connect('Connected.', { source_id: from, target_id: memory.id, relationship_type: type })
        }
      >
        Connect from there
      </button>
    </p>
  )
}
