import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useAddress } from '../../data/address.ts'
import { client } from '../../data/client.ts'
import { searchTypes, states } from '../../data/finding.ts'
import { usePolicies } from '../../data/policies.ts'
import { KnownKinds } from '../../parts/known.tsx'
import { inWords } from '../../parts/words.ts'

/** The same filters as in the search field, to choose from. */
export function Filters() {
  const { get } = useAddress()
  const isSearch = get('q') !== ''
  const policies = usePolicies()
  const tags = useQuery({
    queryKey: ['tags'],
    queryFn: ({ signal }) => client().listTags({ limit: 200 }, { signal }),
  })
  return (
    <>
      {isSearch && <Choice name="type" label="Kind of search" options={searchTypes} />}
      {!isSearch && <Choice name="state" label="State" options={states} />}
      <Choice name="policy" label="Policy" options={['', ...policies.map(({ name }) => name)]} />
      <div className="fields">
        <Field name="tags" label="Tags" list="known-tags" />
        <Field name="source" label="Source" />
        <Field name="session" label="Session" />
        <Field name="kind" label="Kind" list="known-kinds" />
        <Field name="importance" label="Least importance" type="number" />
        <Field name="after" label="Created from" type="date" />
        <Field name="before" label="Created before" type="date" />
      </div>
      <KnownKinds />
      <datalist id="known-tags">
        {tags.data?.values.map(({ value }) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  )
}

function Choice({ name, label, options }: { name: string; label: string; options: readonly string[] }) {
  const { get, set } = useAddress()
  const [first = ''] = options
  return (
    <label className="field">
      {label}
      <select
        value={get(name) || first}
        onChange={event => set({ [name]: event.target.value === first ? '' : event.target.value })}
      >
        {options.map(option => (
          <option key={option} value={option}>
            {option === '' ? 'any' : inWords(option)}
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
  const take = () => typed.trim() !== given && set({ [name]: typed.trim() })
  return (
    <label className="field">
      {label}
      <input
        {...{ type, list, ...steps }}
        value={typed}
        onChange={event => setTyped(event.target.value)}
        onBlur={take}
        onKeyDown={event => event.key === 'Enter' && take()}
      />
    </label>
  )
}
