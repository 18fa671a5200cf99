import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { Clearable } from '../../../../contract/memory.ts'
import { readAccess, readsBoth } from '../../data/access.ts'
import { client, isRefused, type Memory } from '../../data/client.ts'
import { usePolicies } from '../../data/policies.ts'
import { KnownKinds } from '../../parts/known.tsx'
import { useNotices } from '../../parts/notices.tsx'
import { HoldsBetween, minuteOf } from './holds-between.tsx'

type Draft = {
  content: string
  policy: string
  tags: string
  importance: string
  source: string
  session: string
  kind: string
  from: string
  until: string
  metadata: string
}

const draftOf = (memory?: Memory): Draft => ({
  content: memory?.content ?? '',
  policy: memory?.policy ?? 'long_term',
  tags: memory?.tags.join(', ') ?? '',
  importance: String(memory?.importance ?? 0.5),
  source: memory?.source ?? '',
  session: memory?.session_id ?? '',
  kind: memory?.kind ?? '',
  from: minuteOf(memory?.valid_from),
  until: minuteOf(memory?.valid_until),
  metadata: Object.entries(memory?.metadata ?? {})
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join('\n'),
})

/** The fields as the service takes them. Empty ones are left out, and times that are as they were. */
function fieldsOf(draft: Draft, memory?: Memory) {
  const tags = draft.tags
    .split(',')
    .map(tag => tag.trim())
    .filter(tag => tag !== '')
  return {
    content: draft.content,
    policy: draft.policy,
    tags,
    importance: Number(draft.importance),
    metadata: metadataOf(draft.metadata),
    ...(draft.source.trim() ? { source: draft.source.trim() } : {}),
    ...(draft.session.trim() ? { session_id: draft.session.trim() } : {}),
    ...(draft.kind.trim() ? { kind: draft.kind.trim() } : {}),
    ...(isNewTime(draft.from, memory?.valid_from) ? { valid_from: `${draft.from}:00Z` } : {}),
    ...(isNewTime(draft.until, memory?.valid_until) ? { valid_until: `${draft.until}:00Z` } : {}),
  }
}

const isNewTime = (typed: string, before: string | null | undefined) =>
  typed !== '' && typed !== minuteOf(before)

/** The fields that are empty now and had a value. */
const clearedBy = (draft: Draft, memory: Memory): Clearable[] => [
  ...(memory.source !== null && !draft.source.trim() ? (['source'] as const) : []),
  ...(memory.session_id !== null && !draft.session.trim() ? (['session_id'] as const) : []),
  ...(memory.kind !== null && !draft.kind.trim() ? (['kind'] as const) : []),
  ...(memory.valid_from !== null && draft.from === '' ? (['valid_from'] as const) : []),
  ...(memory.valid_until !== null && draft.until === '' ? (['valid_until'] as const) : []),
]

/** Lines of `name = value`: a number, true or false, or else text. */
function metadataOf(text: string): Record<string, string | number | boolean> {
  const lines = text.split('\n').filter(line => line.includes('='))
  return Object.fromEntries(
    lines.map(line => {
      const at = line.indexOf('=')
      const value = line.slice(at + 1).trim()
      return [
        line.slice(0, at).trim(),
        /^(true|false|-?\d+(\.\d+)?|".*")$/.test(value) ? JSON.parse(value) : value,
      ]
    }),
  )
}

type FormProps = {
  draft: Draft
  change: (draft: Draft) => void
  isOpen?: boolean
  /** Whether to begin with the text at once. */
  isFirst?: boolean
}

function Fields({ draft, change, isOpen = false, isFirst = false }: FormProps) {
  const text = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (isFirst) text.current?.focus()
  }, [isFirst])
  const known = usePolicies().map(({ name }) => name)
  const names = known.length > 0 ? known : [draft.policy]
  const field = (name: keyof Draft) => ({
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => change({ ...draft, [name]: target.value }),
  })
  return (
    <>
      <label className="field">
        Text
        <textarea
          ref={text}
          aria-label="Text"
          rows={8}
          required
          maxLength={100_000}
          {...field('content')}
          onKeyDown={event => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
              event.currentTarget.form?.requestSubmit()
          }}
        />
      </label>
      <div className="fields">
        <label className="field">
          Tags
          <input placeholder="one, two" {...field('tags')} />
        </label>
        <label className="field">
          Policy
          <select {...field('policy')}>
            {names.map(name => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </div>
      <details open={isOpen}>
        <summary>More fields</summary>
        <div className="fields">
          <label className="field">
            Importance
            <input type="number" min={0} max={1} step={0.05} {...field('importance')} />
          </label>
          <label className="field">
            Source
            <input {...field('source')} />
          </label>
          <label className="field">
            Session
            <input {...field('session')} />
          </label>
          <label className="field">
            Kind
            <input placeholder="fact" pattern="[a-z0-9_\-]{1,64}" list="known-kinds" {...field('kind')} />
            <KnownKinds />
          </label>
          <HoldsBetween from={field('from')} until={field('until')} />
        </div>
        <label className="field">
          Metadata
          <textarea rows={2} placeholder="name = value" {...field('metadata')} />
        </label>
      </details>
    </>
  )
}

type Visibility = 'private' | 'shared'

/** Stores a memory, and shows it. */
export function StoreForm({ isFirst = false }: { isFirst?: boolean }) {
  const { tell, complain } = useNotices()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [draft, setDraft] = useState(draftOf())
  const [visibility, setVisibility] = useState<Visibility>('private')
  const access = readAccess()
  const chosen = access && readsBoth(access) ? { visibility } : {}
  const store = async (event: FormEvent) => {
    event.preventDefault()
    try {
      const { id } = await client().createMemory({ ttl_seconds: 0, ...fieldsOf(draft), ...chosen })
      tell('Stored.')
      await queries.invalidateQueries()
      navigate(`/memories/${id}`)
    } catch (error) {
      complain(error)
    }
  }
  return (
    <form className="editor" aria-label="New memory" onSubmit={store}>
      <Fields draft={draft} change={setDraft} isFirst={isFirst} />
      {chosen.visibility && (
        <label className="field">
          Visible to
          <select value={visibility} onChange={({ target }) => setVisibility(target.value as Visibility)}>
            <option value="private">Private: {access?.owner} alone</option>
            <option value="shared">Shared: everyone in {access?.tenant}</option>
          </select>
        </label>
      )}
      <p className="actions">
        <button type="submit" className="primary">
          Store
        </button>
      </p>
    </form>
  )
}

/**
 * Changes a memory in the version that was opened. Where somebody has changed it meanwhile, both texts are shown, and
 * nothing is lost: the next try is made in the new version.
 */
export function EditMemory({ memory, close }: { memory: Memory; close: () => void }) {
  const { tell, complain } = useNotices()
  const queries = useQueryClient()
  const [draft, setDraft] = useState(draftOf(memory))
  const [version, setVersion] = useState(memory.version)
  const [other, setOther] = useState<Memory>()
  const store = async (event: FormEvent) => {
    event.preventDefault()
    const { id } = memory
    try {
      const changes = { ...fieldsOf(draft, memory), clear: clearedBy(draft, other ?? memory) }
      await client().updateMemory({ id, ...changes }, { headers: { 'if-match': `"${version}"` } })
      tell('Changed.')
      close()
      await queries.invalidateQueries()
    } catch (error) {
      if (!isRefused(error, 412)) return complain(error)
      const now = await client().getMemory({ id, record_recall: false })
      setOther(now)
      setVersion(now.version)
    }
  }
  return (
    <form className="editor" aria-label="Edit the memory" onSubmit={store}>
      {other && (
        <section className="callout" role="alert">
          <p>
            Somebody changed this memory while you did: it is at version {other.version} now. Your text is
            below. Save again to replace theirs.
          </p>
          <pre>{other.content}</pre>
        </section>
      )}
      <Fields draft={draft} change={setDraft} isOpen isFirst />
      <p className="actions">
        <button type="submit" className="primary">
          {other ? 'Save mine' : 'Save'}
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </p>
    </form>
  )
}
