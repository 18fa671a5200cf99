import { useState } from 'react'
import { useAnswer } from './finder.tsx'
import { graphql } from './gql/index.ts'
import { type Access, ask, readContent, saveContent } from './service.ts'

const NEIGHBOURS = graphql(`
  query Neighbours($id: ID!) {
    memories(where: { id: { eq: $id } }) {
      connections(direction: BOTH) {
        connection {
          sourceId
          targetId
          relationshipType
          strength
        }
        memory {
          id
          content
        }
      }
    }
  }
`)

type Props = { access: Access; id: string; changes: number; select(id: string | undefined): void }

/** A memory with what it is connected to. */
export function MemoryView({ access, id, changes, select }: Props) {
  const { data, error } = useAnswer(signal => ask(access, NEIGHBOURS, { id }, signal), [access, id, changes])
  return (
    <>
      <button type="button" onClick={() => select(undefined)}>
        All memories
      </button>
      {error !== undefined && <p role="alert">{error}</p>}
      <Editor access={access} id={id} />
      <ul aria-label="Connected memories">
        {data?.memories[0]?.connections.map(({ connection, memory }) => (
          <li key={`${connection.sourceId} ${connection.relationshipType} ${connection.targetId}`}>
            {connection.relationshipType}{' '}
            {memory && (
              <button type="button" onClick={() => select(memory.id)}>
                {memory.content}
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Saves only over what the user saw: if somebody else was faster, the service refuses. */
function Editor({ access, id }: { access: Access; id: string }) {
  const [reads, setReads] = useState(0)
  const [written, write] = useState<string>()
  const [said, say] = useState('')
  const { data: seen } = useAnswer(() => readContent(access, id), [access, id, reads])
  if (!seen) return null
  const save = async () => {
    try {
      await saveContent(access, id, written ?? seen.content, seen.etag)
      say('Saved')
      write(undefined)
      setReads(reads + 1)
    } catch (error) {
      say((error as Error).message)
    }
  }
  return (
    <>
      <textarea
        aria-label="Content"
        value={written ?? seen.content}
        onChange={event => write(event.target.value)}
      />
      <button type="button" onClick={() => void save()}>
        Save
      </button>
      <output>{said}</output>
    </>
  )
}
