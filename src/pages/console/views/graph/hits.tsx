import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Output } from '../../../../contract/index.ts'
import { useAddress } from '../../data/address.ts'
import { client, wordsOf } from '../../data/client.ts'
import { filtersOf, typeOf } from '../../data/finding.ts'
import { countOf, firstLine } from '../../parts/words.ts'
import type { MemoryGraph } from './reading.ts'
import { asOfOf } from './time.tsx'

const HITS = 50
const LARGEST = 25

type Result = Output<'searchMemories'>['results'][number]

/** The search that the address asks for, with how each score came about. */
export const useHits = () => {
  const { get } = useAddress()
  const query = get('q').trim()
  const as_of = asOfOf(get)
  return useQuery({
    queryKey: ['hits', query, get('type'), filtersOf(get), as_of],
    queryFn: ({ signal }) =>
      client().searchMemories(
        {
          query,
          // What texts were is found by their words alone.
          search_type: as_of === undefined ? typeOf(get) : 'keyword',
          limit: HITS,
          explain: true,
          min_relevance: 'auto',
          as_of,
          ...filtersOf(get),
        },
        { signal },
      ),
    enabled: query !== '',
  })
}

type Props = {
  graph: MemoryGraph | undefined
  version: number
  found: ReturnType<typeof useHits>
  choose: (id: string) => void
}

/** What the search found, or what is most connected: the same as in the drawing, for those who do not see it. */
export function Hits({ graph, version, found, choose }: Props) {
  const { get } = useAddress()
  const largest = useMemo(() => graph && largestOf(graph), [graph, version])
  const isSearch = get('q').trim() !== ''
  if (found.error) return <p role="alert">{wordsOf(found.error)}</p>
  return (
    <section aria-label="Memories">
      <h2>{isSearch ? 'Found' : 'Most connected'}</h2>
      {isSearch && found.data?.results.length === 0 && <p className="hint">No memory matches.</p>}
      <ul className={isSearch ? 'list' : 'list most'}>
        {(isSearch ? found.data?.results.map(hitOf) : largest)?.map(({ id, title, why }, place) => (
          // By its place: while the graph grows the lines change, and none moves.
          <li key={isSearch ? id : place}>
            <button type="button" className="quiet" onClick={() => choose(id)}>
              <span className="title">{title}</span> <small>{why}</small>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

const hitOf = ({ memory, relevance, sources, explain }: Result) => ({
  id: memory.id,
  title: firstLine(memory),
  why: [
    `relevance ${relevance.toFixed(2)}`,
    sources.semantic && `meaning #${sources.semantic.rank}, cosine ${explain?.semantic?.cosine.toFixed(2)}`,
    sources.keyword && `words #${sources.keyword.rank}`,
  ]
    .filter(Boolean)
    .join(' · '),
})

const largestOf = (graph: MemoryGraph) =>
  graph
    .mapNodes((id, { title }) => ({ id, title, degree: graph.degree(id) }))
    .sort((a, b) => b.degree - a.degree)
    .slice(0, LARGEST)
    .map(({ id, title, degree }) => ({ id, title, why: countOf(degree, 'connection') }))
