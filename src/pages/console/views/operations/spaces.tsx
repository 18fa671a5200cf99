import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Output } from '../../../../contract/index.ts'
import { useAct } from '../../data/acting.ts'
import { client, wordsOf } from '../../data/client.ts'
import { Table } from '../../parts/table.tsx'
import { Card } from '../../parts/ui.tsx'

type Space = Output<'listEmbeddingSpaces'>['spaces'][number]

/** The embedding spaces, for the operator alone: how far each is filled, how alike it is to the active one, and the switch. */
export function Spaces() {
  const found = useQuery({
    queryKey: ['spaces'],
    queryFn: ({ signal }) => client().listEmbeddingSpaces({}, { signal }),
    retry: false,
  })
  if (!found.data) return null
  const { spaces, active } = found.data
  return (
    <Card title="Embedding spaces">
      <Table columns={['Model', 'Provider', 'Dimensions', 'State', 'Vectors', '']}>
        {spaces.map(space => (
          <tr key={space.id}>
            <td>{space.model}</td>
            <td>{space.provider}</td>
            <td>{space.dimensions}</td>
            <td>{space.state}</td>
            <td>
              <Progress space={space} />
            </td>
            <td className="end">{space.id !== active && <Actions space={space} />}</td>
          </tr>
        ))}
      </Table>
    </Card>
  )
}

function Progress({ space: { model, ready, missing } }: { space: Space }) {
  const all = ready + missing
  return (
    <>
      {missing > 0 && <progress aria-label={`Vectors of ${model}`} max={Math.max(1, all)} value={ready} />}{' '}
      <span className="hint">
        {ready} of {all} memories
      </span>
    </>
  )
}

function Actions({ space: { id, model } }: { space: Space }) {
  const act = useAct()
  const [alike, setAlike] = useState('')
  const compare = async () => {
    try {
      const { overlap, sample } = await client().compareEmbeddingSpaces({ id })
      setAlike(
        sample === 0
          ? 'There is nothing to compare yet.'
          : `${Math.round(100 * (overlap ?? 0))} % of the nearest neighbours are the same.`,
      )
    } catch (error) {
      setAlike(wordsOf(error))
    }
  }
  return (
    <p className="actions">
      <button type="button" onClick={compare} aria-label={`Compare ${model} with the active space`}>
        Compare
      </button>
      <button
        type="button"
        aria-label={`Switch searches to ${model}`}
        onClick={() => act('Searches use this space now.', () => client().switchEmbeddingSpace({ id }))}
      >
        Switch
      </button>
      <button
        type="button"
        aria-label={`Delete the space of ${model}`}
        onClick={() => act('Deleted.', () => client().deleteEmbeddingSpace({ id }))}
      >
        Delete
      </button>
      {alike && <span role="status">{alike}</span>}
    </p>
  )
}
