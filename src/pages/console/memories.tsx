import { useInfiniteQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useAddress } from './address.ts'
import { type Memory, wordsOf } from './api.ts'
import { Bulk } from './bulk.tsx'
import { Filters } from './filters.tsx'
import { type Found, findPage } from './finding.ts'

const ROW_PX = 76
/** How near the end of the list the next page is read. */
const AHEAD = 10
/** Each gets a request of its own, and somebody waits for all of them. */
const MOST_CHOSEN = 1_000

const resultsOf = (pages: readonly { results: Found[] }[] = []) => pages.flatMap(({ results }) => results)

/** A list or a search, with all that belongs to it in the address. */
export function MemoriesView() {
  const { get, text } = useAddress()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const found = useInfiniteQuery({
    queryKey: ['memories', text],
    queryFn: ({ pageParam, signal }) => findPage(get, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: last => last.next ?? undefined,
  })
  const results = resultsOf(found.data?.pages)
  const toggle = (id: string) =>
    setChosen(before => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  const all = results.map(({ memory }) => memory)
  /** Reads the pages that are not listed yet, as far as so many may be chosen. */
  const chooseAll = async () => {
    let read = results
    for (let more = found.hasNextPage; more && read.length < MOST_CHOSEN; ) {
      const next = await found.fetchNextPage()
      more = next.hasNextPage && !next.isError
      read = resultsOf(next.data?.pages)
    }
    setChosen(new Set(read.slice(0, MOST_CHOSEN).map(({ memory }) => memory.id)))
  }
  return (
    <div className="page">
      <Filters />
      <p className="summary" role="status">
        {found.error
          ? wordsOf(found.error)
          : found.isPending
            ? 'Looking …'
            : results.length === 0
              ? 'No memory matches.'
              : `${results.length}${found.hasNextPage ? ' or more' : ''} memories`}
        {found.data?.pages[0]?.degraded && ' · by keywords only: the embedding provider does not answer'}
      </p>
      <Bulk
        memories={all.filter(({ id }) => chosen.has(id))}
        done={() => setChosen(new Set())}
        chooseAll={all.length > 0 ? chooseAll : undefined}
        areMore={found.hasNextPage}
      />
      <Rows
        results={results}
        chosen={chosen}
        toggle={toggle}
        more={() => found.hasNextPage && !found.isFetching && void found.fetchNextPage()}
      />
    </div>
  )
}

type RowsProps = {
  results: readonly Found[]
  chosen: ReadonlySet<string>
  toggle: (id: string) => void
  more: () => void
}

/** Only the rows in sight are in the document. */
function Rows({ results, chosen, toggle, more }: RowsProps) {
  const parent = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: results.length,
    getScrollElement: () => parent.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  })
  const items = rows.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= results.length - AHEAD) more()
  })
  return (
    <div className="rows" ref={parent}>
      <ul style={{ height: rows.getTotalSize() }} aria-label="Memories">
        {items.map(({ index, start }) => {
          const found = results[index]
          return found ? (
            <li key={found.memory.id} style={{ transform: `translateY(${start}px)`, height: ROW_PX }}>
              <Row {...found} isChosen={chosen.has(found.memory.id)} toggle={toggle} />
            </li>
          ) : null
        })}
      </ul>
    </div>
  )
}

type RowProps = Found & { isChosen: boolean; toggle: (id: string) => void }

function Row({ memory, relevance, text, isChosen, toggle }: RowProps) {
  return (
    <div className="row">
      <input
        type="checkbox"
        aria-label={`Choose ${firstLine(memory)}`}
        checked={isChosen}
        onChange={() => toggle(memory.id)}
      />
      <Link href={`/memories/${memory.id}`}>
        <strong>{firstLine(memory)}</strong>
        {text !== firstLine(memory) && <span className="excerpt">{text}</span>}
      </Link>
      <span className="facts">
        {relevance !== undefined && (
          <span title="How clearly it stands above chance, 0 to 1">{relevance.toFixed(2)}</span>
        )}
        <span className={`state ${memory.state}`}>
          {memory.state === 'archived' ? 'archived' : memory.policy}
        </span>
        {memory.tags.slice(0, 3).map(tag => (
          <span key={tag} className="tag">
            {tag}
          </span>
        ))}
        <time dateTime={memory.created_at}>{memory.created_at.slice(0, 10)}</time>
      </span>
    </div>
  )
}

export const firstLine = ({ content }: Pick<Memory, 'content'>) =>
  content.split('\n')[0]?.replace(/^#+ /, '').slice(0, 160) || '(empty line)'
