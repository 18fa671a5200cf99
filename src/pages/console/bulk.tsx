import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAllowed } from './allowed.ts'
import { client, type Memory } from './api.ts'
import { withoutReading } from './live.ts'
import { useNotices } from './notices.tsx'

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
  chooseAll: (() => Promise<void>) | undefined
  /** More match than are listed. */
  areMore: boolean
}

/** What can be done with all chosen memories at once. */
export function Bulk({ memories, done, chooseAll, areMore }: Props) {
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
    if (changed.length > 0) tell(`${words}: ${changed.length} memories.`, back)
    if (refusal) complain(refusal)
    done()
    await queries.invalidateQueries()
  }
  if (!mayWrite) return null
  if (memories.length === 0)
    return chooseAll ? (
      <div className="bulk">
        <button type="button" className="quiet" onClick={() => void chooseAll()}>
          {areMore ? 'Choose all that match, up to 1,000' : 'Choose all that are listed'}
        </button>
      </div>
    ) : null
  const areArchived = memories.every(({ state }) => state === 'archived')
  const archive = ({ id }: Memory) => client().deleteMemory({ id })
  const restore = ({ id }: Memory) => client().restoreMemory({ id })
  return (
    <fieldset className="bulk" disabled={isBusy}>
      <legend>{memories.length} chosen</legend>
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
        Add the tag
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
        Choose none
      </button>
    </fieldset>
  )
}
