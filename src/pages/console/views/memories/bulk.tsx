import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAllowed } from '../../data/allowed.ts'
import { client, type Memory } from '../../data/client.ts'
import { withoutReading } from '../../data/live.ts'
import { forEach } from '../../data/many.ts'
import { useNotices } from '../../parts/notices.tsx'
import { countOf } from '../../parts/words.ts'

type Props = {
  memories: readonly Memory[]
  done: () => void
  selectAll: (() => Promise<void>) | undefined
}

type Running = { words: string; count: number; of: number; stop: () => void }

/** Changes many memories, and reads the view again when all are done or somebody has stopped it. */
function useRunning() {
  const { complain } = useNotices()
  const queries = useQueryClient()
  const [running, setRunning] = useState<Running>()
  const runAll = async (
    words: string,
    memories: readonly Memory[],
    run: (memory: Memory) => Promise<unknown>,
  ) => {
    const stopping = new AbortController()
    const show = (count: number) =>
      setRunning({ words, count, of: memories.length, stop: () => stopping.abort() })
    show(0)
    const options = { signal: stopping.signal, onDone: show }
    const { done, refusal } = await withoutReading(() => forEach(memories, run, options))
    setRunning(undefined)
    if (refusal) complain(refusal)
    void queries.invalidateQueries()
    return done
  }
  return { running, runAll }
}

/** The progress of a change of many memories. To stop it takes nothing back. */
const Progress = ({ words, count, of, stop }: Running) => (
  <fieldset>
    <legend>
      {words}: {count} of {of}
    </legend>
    <progress aria-label={words} max={of} value={count} />
    <button type="button" onClick={stop}>
      Stop
    </button>
  </fieldset>
)

/** What can be done with all selected memories at once. */
export function Bulk({ memories, done, selectAll }: Props) {
  const { tell } = useNotices()
  const [tag, setTag] = useState('')
  const { running, runAll } = useRunning()
  const mayWrite = useAllowed('write')
  const act = async (
    words: string,
    run: (memory: Memory) => Promise<unknown>,
    undo?: (memory: Memory) => Promise<unknown>,
  ) => {
    const changed = await runAll(words, memories, run)
    if (changed.length > 0)
      tell(
        `${words}: ${countOf(changed.length, 'memory', 'memories')}.`,
        undo && (() => runAll('Taken back', changed, undo)),
      )
    done()
  }
  if (running) return <Progress {...running} />
  if (!mayWrite) return null
  if (memories.length === 0)
    return selectAll ? (
      <button type="button" className="quiet" onClick={() => void selectAll()}>
        Select all
      </button>
    ) : null
  const areArchived = memories.every(({ state }) => state === 'archived')
  const archive = ({ id }: Memory) => client().deleteMemory({ id })
  const restore = ({ id }: Memory) => client().restoreMemory({ id })
  return (
    <fieldset>
      <legend>{memories.length} selected</legend>
      {areArchived ? (
        <button type="button" onClick={() => act('Restored', restore, archive)}>
          Restore
        </button>
      ) : (
        <button type="button" onClick={() => act('Archived', archive, restore)}>
          Archive
        </button>
      )}
      <input
        aria-label="Tag to add"
        placeholder="Tag"
        value={tag}
        onChange={event => setTag(event.target.value)}
      />
      <button
        type="button"
        disabled={tag.trim() === ''}
        onClick={() =>
          act(
            `Tagged ${tag.trim()}`,
            ({ id, tags }) => client().updateMemory({ id, tags: [...new Set([...tags, tag.trim()])] }),
            ({ id, tags }) => client().updateMemory({ id, tags }),
          )
        }
      >
        Add tag
      </button>
      {memories.length === 2 && (
        <button
          type="button"
          onClick={() => {
            const [source, target] = memories as [Memory, Memory]
            const ends = { source_id: source.id, target_id: target.id }
            void act(
              'Connected',
              memory => (memory === source ? client().createConnection(ends) : Promise.resolve()),
              memory => (memory === source ? client().deleteConnection(ends) : Promise.resolve()),
            )
          }}
        >
          Connect the two
        </button>
      )}
      <button type="button" className="quiet" onClick={done}>
        Select none
      </button>
    </fieldset>
  )
}
