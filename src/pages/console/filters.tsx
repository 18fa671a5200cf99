import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { useAddress } from './address.ts'
import { client } from './api.ts'
import { orders, searchTypes } from './finding.ts'
import { KnownKinds } from './kinds.tsx'
import { usePolicies } from './policies.tsx'
import { inWords } from './words.ts'

/** The query, the kind of search, and the filters of the list; a graph has no order and only active memories. */
export function Filters({ isGraph = false }: { isGraph?: boolean }) {
  const { get, set } = useAddress()
  const [query, setQuery] = useState(get('q'))
  const asked = get('q')
  useEffect(() => setQuery(asked), [asked])
  const policies = usePolicies()
  const tags = useQuery({
    queryKey: ['tags'],
    queryFn: ({ signal }) => client().listTags({ limit: 200 }, { signal }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    set({ q: query.trim() })
  }
  return (
    <search>
      <form className="filters" onSubmit={submit}>
        <input
          type="search"
          aria-label="Search the memories"
          placeholder="Search the memories"
          value={query}
          onChange={event => {
            setQuery(event.target.value)
            if (event.target.value === '') set({ q: '' })
          }}
        />
        <button type="submit" className="primary">
          Search
        </button>
        {asked === '' && !isGraph && (
          <>
            <Choice name="state" label="State" options={['active', 'archived']} />
            <Choice name="order" label="Order by" options={orders} />
          </>
        )}
        {asked !== '' && <Choice name="type" label="Kind of search" options={searchTypes} />}
        <Choice name="policy" label="Policy" options={['', ...policies.map(({ name }) => name)]} />
        <Field name="tags" label="Tags" list="known-tags" />
        <Field name="source" label="Source" />
        <Field name="session" label="Session" />
        <Field name="kind" label="Kind" list="known-kinds" />
        <Field name="importance" label="Least importance" type="number" />
        <Field name="after" label="Created from" type="date" />
        <Field name="before" label="Created before" type="date" />
        <KnownKinds />
        <datalist id="known-tags">
          {tags.data?.values.map(({ value }) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      </form>
    </search>
  )
}

const optionInWords = (name: string) => (name === '' ? 'any' : inWords(name.replace(/_at$/, '')))

function Choice({ name, label, options }: { name: string; label: string; options: readonly string[] }) {
  const { get, set } = useAddress()
  const [first = ''] = options
  return (
    <label>
      {label}
      <select
        value={get(name) || first}
        onChange={event => set({ [name]: event.target.value === first ? '' : event.target.value })}
      >
        {options.map(option => (
          <option key={option} value={option}>
            {optionInWords(option)}
          </option>
        ))}
      </select>
    </label>
  )
}

type FieldProps = { name: string; label: string; type?: string; list?: string }

/** What is typed counts when it is left, or with Enter. */
function Field({ name, label, type = 'text', list }: FieldProps) {
  const { get, set } = useAddress()
  const [typed, setTyped] = useState(get(name))
  const given = get(name)
  useEffect(() => setTyped(given), [given])
  const steps = type === 'number' ? { min: 0, max: 1, step: 0.1 } : {}
  return (
    <label>
      {label}
      <input
        {...{ type, list, ...steps }}
        value={typed}
        onChange={event => setTyped(event.target.value)}
        onBlur={() => set({ [name]: typed.trim() })}
        onKeyDown={event => event.key === 'Enter' && set({ [name]: typed.trim() })}
      />
    </label>
  )
}
