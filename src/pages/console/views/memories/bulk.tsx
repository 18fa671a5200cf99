import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAllowed } from '../../data/allowed.ts'
import { client, type Memory } from '../../data/client.ts'
import { withoutReading } from '../../data/live.ts'
import { useNotices } from '../../parts/notices.tsx'
import { countOf } from '../../parts/words.ts'

/** So many requests are under way at once. */
const AT_ONCE = 8

/** Runs one call for each memory, and returns those for which it succeeded. The first refusal is thrown at the end. */
async function forEach(memories: readonly Memory[], run: (memory: Memory) => Promise<unknown>) {
  const left = [...memories]
  const done: Memory[] = []
  let refusal: unknown
  const work = async () => {
    for (let memory = left.pop(); memory; memory = left.pop())
      await run(memory).then(
        () => done.push(memory),
        error => {
          refusal ??= error
        },
      )
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { done, refusal }
}

type Props = {
  memories: readonly Memory[]
  done: () => void
  selectAll: (() => Promise<void>) | undefined
}

/** What can be done with all selected memories at once. */
export function Bulk({ memories, done, selectAll }: Props) {
  const { tell, complain } = useNotices()
  const queries = useQueryClient()
  const [tag, setTag] = useState('')
  const [isBusy, setBusy] = useState(false)
  const mayWrite = useAllowed('write')
  const act = async (
    words: string,
    run: (memory: Memory) => Promise<unknown>,
    undo?: (memory: Memory) => Promise<unknown>,
  ) => {
    setBusy(true)
    const { done: changed, refusal } = await withoutReading(() => forEach(memories, run))
    setBusy(false)
    const takeBack = undo && (() => withoutReading(() => forEach(changed, undo)))
    const back = takeBack && (async () => takeBack().then(() => queries.invalidateQueries()))
    if (changed.length > 0) tell(`${words}: ${countOf(changed.length, 'memory', 'memories')}.`, back)
    if (refusal) complain(refusal)
    done()
    await queries.invalidateQueries()
  }
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
    <fieldset disabled={isBusy}>
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
