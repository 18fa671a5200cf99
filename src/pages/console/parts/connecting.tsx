import { relationshipTypes } from '../../../contract/connections.ts'
import { useAct } from '../data/acting.ts'
import { client } from '../data/client.ts'
import { inWords } from './words.ts'

export type Type = (typeof relationshipTypes)[number]

export type Ends = { source_id: string; target_id: string; relationship_type: Type }

/** Connects two memories by hand, which can be taken back; `made` is called when they are. */
export function useConnect() {
  const act = useAct()
  return (words: string, ends: Ends, made: () => void = () => {}) =>
    act(
      words,
      () => client().createConnection(ends).then(made),
      () => client().deleteConnection(ends),
    )
}

export const TypeChoice = ({ type, choose }: { type: Type; choose: (type: Type) => void }) => (
  <select
    aria-label="Type of the connection"
    value={type}
    onChange={event => choose(relationshipTypes.find(each => each === event.target.value) ?? 'related_to')}
  >
    {relationshipTypes.map(each => (
      <option key={each} value={each}>
        {inWords(each)}
      </option>
    ))}
  </select>
)
