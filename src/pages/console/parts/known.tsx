import { useQuery } from '@tanstack/react-query'
import { client } from '../data/client.ts'

/** The kinds in use, which a field with this list suggests. */
export function KnownKinds() {
  const { data } = useQuery({
    queryKey: ['kinds'],
    queryFn: ({ signal }) => client().listKinds({ limit: 200 }, { signal }),
  })
  return (
    <datalist id="known-kinds">
      {data?.values.map(({ value }) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  )
}
