import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useAddress } from '../../data/address.ts'
import { wordsOf } from '../../data/client.ts'
import { type Found, findPage, stateOf } from '../../data/finding.ts'
import { countOf, firstLine } from '../../parts/words.ts'
import { Bulk } from './bulk.tsx'
import { ColumnMenu, type Columns, cellsOf, HeadRow, useColumns } from './columns.tsx'
import { Finder } from './finder.tsx'
import { Preview } from './preview.tsx'
import { SavedViews } from './saved.tsx'

const ROW_PX = 36
/** How near the end of the list the next page is read. */
const AHEAD = 10
/** Each gets a request of its own, and somebody waits for all of them. */
const MOST_SELECTED = 1_000

const resultsOf = (pages: readonly { results: Found[] }[] = []) => pages.flatMap(({ results }) => results)

/** A list or a search, with all that belongs to it in the address. */
export function MemoriesView() {
  const { get, set, text } = useAddress()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [current, setCurrent] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const columns = useColumns()
  const isSearch = get('q').trim() !== ''
  const found = useInfiniteQuery({
    queryKey: ['memories', text],
    queryFn: ({ pageParam, signal }) => findPage(get, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: last => last.next ?? undefined,
    placeholderData: keepPreviousData,
  })
  useEffect(() => setCurrent(0), [text])
  const results = resultsOf(found.data?.pages)
  // While a search runs, what was there before stays.
  const areHits = results.some(({ relevance }) => relevance !== undefined)
  const shown = results[current] ?? results[0]
  const toggle = (id: string) =>
    setSelected(before => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  const all = results.map(({ memory }) => memory)
  /** Reads the pages that are not listed yet, as far as so many may be selected. */
  const selectAll = async () => {
    let read = results
    for (let more = found.hasNextPage; more && read.length < MOST_SELECTED; ) {
      const next = await found.fetchNextPage()
      more = next.hasNextPage && !next.isError
      read = resultsOf(next.data?.pages)
    }
    setSelected(new Set(read.slice(0, MOST_SELECTED).map(({ memory }) => memory.id)))
  }
  const summary = found.error
    ? wordsOf(found.error)
    : found.isPending
      ? 'Looking …'
      : results.length === 0
        ? 'No memory matches.'
        : `${countOf(results.length, 'memory', found.hasNextPage ? 'or more memories' : 'memories')}`
  const weak = found.data?.pages.at(-1)?.weak ?? 0
  return (
    <div className="memories">
      <Finder down={() => list.current?.querySelector<HTMLElement>('a.text')?.focus()} />
      <div className="summary">
        <Bulk
          memories={all.filter(({ id }) => selected.has(id))}
          done={() => setSelected(new Set())}
          selectAll={all.length > 0 ? selectAll : undefined}
        />
        <span role="status">
          {summary}
          {found.data?.pages[0]?.degraded && ' · by keywords only: the embedding provider does not answer'}
          {isSearch && stateOf(get) !== 'active' && ' · a search finds active memories only'}
        </span>
        {isSearch && found.data && !found.hasNextPage && (
          <button
            type="button"
            className="quiet"
            onClick={() => set({ all: get('all') === '' ? 'yes' : '' })}
          >
            {get('all') !== '' ? 'Hide weak hits' : weak > 0 ? `Show ${weak} weak hits` : 'Show weak hits'}
          </button>
        )}
        <span className="spring" />
        <SavedViews search={text} />
        {columns.areOffered && <ColumnMenu {...columns} />}
      </div>
      <div className={shown ? 'results with-preview' : 'results'}>
        <Rows
          {...{ list, results, selected, toggle, current, setCurrent, columns }}
          isSearch={areHits}
          more={() => found.hasNextPage && !found.isFetching && void found.fetchNextPage()}
        />
        {shown && <Preview found={shown} />}
      </div>
    </div>
  )
}

type RowsProps = {
  list: React.RefObject<HTMLDivElement | null>
  results: readonly Found[]
  selected: ReadonlySet<string>
  toggle: (id: string) => void
  current: number
  setCurrent: (at: number) => void
  columns: Columns
  isSearch: boolean
  more: () => void
}

const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  j: 1,
  ArrowUp: -1,
  k: -1,
  PageDown: 10,
  PageUp: -10,
}

/** Only the rows in sight are in the document. The arrow keys lead from row to row. */
function Rows({ list, results, selected, toggle, current, setCurrent, columns, isSearch, more }: RowsProps) {
  const rows = useVirtualizer({
    count: results.length,
    getScrollElement: () => list.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  })
  const items = rows.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= results.length - AHEAD) more()
  })
  const press = (event: KeyboardEvent) => {
    const at = Number((event.target as HTMLElement).closest('li')?.dataset.index ?? -1)
    const step = steps[event.key]
    if (event.key === 'x' && results[at]) toggle(results[at].memory.id)
    else if (step === undefined || at < 0) return
    else {
      const next = Math.max(0, Math.min(results.length - 1, at + step))
      rows.scrollToIndex(next)
      requestAnimationFrame(() =>
        list.current?.querySelector<HTMLElement>(`li[data-index="${next}"] a.text`)?.focus(),
      )
    }
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the links of the rows take the keys
    <div className="rows" ref={list} onKeyDown={press}>
      {results.length > 0 && <HeadRow {...columns} isSearch={isSearch} />}
      <ul style={{ height: rows.getTotalSize() }} aria-label="Memories">
        {items.map(({ index, start }) => {
          const found = results[index]
          return found ? (
            <li key={found.memory.id} data-index={index} style={{ transform: `translateY(${start}px)` }}>
              <Row
                found={found}
                template={columns.template(isSearch)}
                cells={cellsOf(columns.shown, found)}
                isSelected={selected.has(found.memory.id)}
                isCurrent={index === current}
                toggle={toggle}
                focus={() => setCurrent(index)}
              />
            </li>
          ) : null
        })}
      </ul>
    </div>
  )
}

type RowProps = {
  found: Found
  template: string
  cells: React.ReactNode
  isSelected: boolean
  isCurrent: boolean
  toggle: (id: string) => void
  focus: () => void
}

function Row({ found, template, cells, isSelected, isCurrent, toggle, focus }: RowProps) {
  const { memory, relevance, text } = found
  const title = firstLine(memory)
  return (
    <div className={isCurrent ? 'row current' : 'row'} style={{ gridTemplateColumns: template }}>
      <input
        type="checkbox"
        aria-label={`Select ${title}`}
        checked={isSelected}
        onChange={() => toggle(memory.id)}
      />
      <Link href={`/memories/${memory.id}`} className="text" onFocus={focus} onMouseEnter={focus}>
        {title}
        {text !== '' && !title.startsWith(text) && <span className="excerpt"> — {text}</span>}
      </Link>
      {relevance !== undefined && (
        <span className="cell" title="How clearly it stands above chance, 0 to 1">
          {relevance.toFixed(2)}
        </span>
      )}
      {cells}
    </div>
  )
}
