import { useQueryClient } from '@tanstack/react-query'
import { type ChangeEvent, type FormEvent, useRef, useState } from 'react'
import type { Output } from '../../../../contract/index.ts'
import { sendBundle } from '../../data/bundle.ts'
import { client, saveAs } from '../../data/client.ts'
import { filtersOf } from '../../data/finding.ts'
import { useNotices } from '../../parts/notices.tsx'
import { Card, Confirm } from '../../parts/ui.tsx'
import { countOf } from '../../parts/words.ts'

const names = ['tags', 'source', 'session'] as const
type Typed = Record<(typeof names)[number], string>
const none: Typed = { tags: '', source: '', session: '' }

const filtersIn = (typed: Typed) => filtersOf(name => typed[name as keyof Typed] ?? '')

const Fields = ({ typed, change }: { typed: Typed; change: (typed: Typed) => void }) => (
  <div className="fields">
    {names.map(name => (
      <label key={name} className="field">
        {name[0]?.toUpperCase() + name.slice(1)}
        <input value={typed[name]} onChange={event => change({ ...typed, [name]: event.target.value })} />
      </label>
    ))}
  </div>
)

/** Takes memories out of the service and into it, and removes them for good. */
export const DataTab = () => (
  <div className="stack">
    <Export />
    <Import />
    <Erase />
  </div>
)

function Export() {
  const { tell, complain } = useNotices()
  const [typed, setTyped] = useState(none)
  const save = async (event: FormEvent) => {
    event.preventDefault()
    try {
      const { pieces } = await client().exportBundle(filtersIn(typed))
      const parts: string[] = []
      for await (const piece of pieces) parts.push(piece)
      saveAs('memories.ndjson', parts, 'application/x-ndjson')
      tell('Exported.')
    } catch (error) {
      complain(error)
    }
  }
  return (
    <Card title="Export">
      <form className="stack" onSubmit={save}>
        <p className="hint">
          A bundle has the memories with their vectors, versions and connections, and the policies. Without
          filters it has all of them.
        </p>
        <Fields typed={typed} change={setTyped} />
        <p className="actions">
          <button type="submit">Export</button>
        </p>
      </form>
    </Card>
  )
}

function Import() {
  const { tell, complain } = useNotices()
  const queries = useQueryClient()
  const [share, setShare] = useState<number>()
  const stop = useRef<AbortController>(undefined)
  const read = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? []
    if (!file) return
    stop.current = new AbortController()
    setShare(0)
    try {
      await sendBundle(await file.text(), setShare, stop.current.signal)
      tell(`Imported ${file.name}.`)
    } catch (error) {
      if (stop.current.signal.aborted) tell('Stopped. What was imported so far stays.')
      else complain(error)
    } finally {
      setShare(undefined)
      target.value = ''
      await queries.invalidateQueries()
    }
  }
  return (
    <Card title="Import">
      <p className="hint">
        Choose a bundle of this or another tenant. Memories that are here already are not stored twice.
      </p>
      <p className="actions">
        <label className="button">
          Choose a bundle
          <input type="file" className="visually-hidden" accept=".ndjson,.jsonl" onChange={read} />
        </label>
        {share !== undefined && (
          <>
            <progress aria-label="Import" max={1} value={share} />
            <button type="button" onClick={() => stop.current?.abort()}>
              Stop
            </button>
          </>
        )}
      </p>
    </Card>
  )
}

type Receipt = Output<'eraseMemories'>

function Erase() {
  const { tell, complain } = useNotices()
  const queries = useQueryClient()
  const [typed, setTyped] = useState(none)
  const [counted, setCounted] = useState<Receipt>()
  const [isAsking, setAsking] = useState(false)
  const filters = filtersIn(typed)
  const isNarrow = Object.keys(filters).length > 0
  const count = async (event: FormEvent) => {
    event.preventDefault()
    try {
      setCounted(await client().eraseMemories({ filters, dry_run: true }))
      setAsking(true)
    } catch (error) {
      complain(error)
    }
  }
  const erase = async () => {
    try {
      const { counts, complete } = await client().eraseMemories({ filters })
      tell(
        `Erased ${countOf(counts.memories, 'memory', 'memories')}.${complete ? '' : ' There are more: erase again.'}`,
      )
      setTyped(none)
      await queries.invalidateQueries()
    } catch (error) {
      complain(error)
    }
  }
  return (
    <Card title="Erase">
      <form className="stack" onSubmit={count}>
        <p className="hint">
          Removes matching memories in every state, with their versions, connections and recalls. You cannot
          undo it. To be able to restore them, plan to forget them instead.
        </p>
        <Fields typed={typed} change={setTyped} />
        <p className="actions">
          <button type="submit" className="danger" disabled={!isNarrow}>
            Erase
          </button>
        </p>
      </form>
      <Confirm
        title={`Erase ${countOf(counted?.counts.memories ?? 0, 'memory', 'memories')}?`}
        button="Erase for good"
        open={isAsking}
        change={setAsking}
        act={() => void erase()}
      >
        <p>
          With {countOf(counted?.counts.versions ?? 0, 'earlier version')} and{' '}
          {countOf(counted?.counts.connections ?? 0, 'connection')}. You cannot undo it.
        </p>
      </Confirm>
    </Card>
  )
}
