import { ListFilter, Search, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useAddress } from '../../data/address.ts'
import { filterWords, readTyped } from '../../data/finding.ts'
import { useShortcut } from '../../parts/shortcuts.ts'
import { Pop } from '../../parts/ui.tsx'
import { Filters } from './filters.tsx'

/** Between the last key and the search. */
const TYPING_MS = 20
/** A filter that is still being typed. */
const OPEN = /(?:^|\s)\w+:(?:"[^"]*|\S*)$/

/** One field for words and filters. What is typed is searched; a filter becomes a chip. */
export function Finder({ down }: { down?: () => void }) {
  const { get, set } = useAddress()
  const asked = get('q')
  const tags = get('tags')
  const [typed, setTyped] = useState(asked)
  const sent = useRef(asked)
  const field = useRef<HTMLInputElement>(null)
  useShortcut('/', 'Search the memories', () => field.current?.focus())
  useEffect(() => {
    if (asked === sent.current) return
    sent.current = asked
    setTyped(asked)
  }, [asked])
  const read = (value: string, isComplete: boolean) => {
    const { text, filters } = readTyped(value, tags, isComplete)
    const isNew = Object.keys(filters).length > 0
    setTyped(text)
    if (!isNew && text.trim() === sent.current) return
    sent.current = text.trim()
    set({ ...filters, q: text.trim(), chosen: '' }, { replace: !isNew })
  }
  useEffect(() => {
    if (typed.trim() === sent.current || OPEN.test(typed)) return
    const waiting = setTimeout(() => read(typed, false), TYPING_MS)
    return () => clearTimeout(waiting)
  })
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') read(typed, true)
    else if (event.key === 'ArrowDown' && down) down()
    else if (event.key === 'Escape') field.current?.blur()
    else return
    event.preventDefault()
  }
  return (
    <search className="finder">
      <div className="query">
        <Search size={15} aria-hidden />
        <input
          ref={field}
          type="text"
          aria-label="Search the memories"
          placeholder="Search by meaning or words, or narrow with tag: source: policy: before: is:"
          value={typed}
          onChange={({ target: { value } }) => {
            const { filters } = readTyped(value, tags, false)
            if (Object.keys(filters).length > 0) read(value, false)
            else setTyped(value)
          }}
          onKeyDown={press}
        />
        <kbd>/</kbd>
      </div>
      <Pop
        label="Filters"
        isForm
        trigger={
          <button type="button">
            <ListFilter size={14} aria-hidden /> Filter
          </button>
        }
      >
        <Filters />
      </Pop>
      <Chips />
    </search>
  )
}

/** What narrows the list; each can be taken away. */
function Chips() {
  const { get, set } = useAddress()
  const chips = Object.entries(filterWords).flatMap(([word, name]) =>
    (name === 'tags' ? get(name).split(',') : [get(name)])
      .map(value => value.trim())
      .filter(value => value !== '')
      .map(value => ({ word, name, value })),
  )
  if (chips.length === 0) return null
  const remove = (name: string, value: string) =>
    set({
      [name]: get(name)
        .split(',')
        .map(each => each.trim())
        .filter(each => name === 'tags' && each !== value)
        .join(', '),
    })
  return (
    <ul className="chips" aria-label="Filters in use">
      {chips.map(({ word, name, value }) => (
        <li key={`${word} ${value}`}>
          <button
            type="button"
            className="chip"
            aria-label={`Remove the filter ${word}: ${value}`}
            onClick={() => remove(name, value)}
          >
            {word}: {value} <X size={12} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}
