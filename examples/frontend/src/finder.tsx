import { useEffect, useState } from 'react'
import { graphql } from './gql/index.ts'
import { type Access, ask } from './service.ts'

const PAGE = graphql(`
  query Page($cursor: String) {
    listMemories(limit: 10, cursor: $cursor) {
      memories {
        id
        content
        updatedAt
      }
      nextCursor
    }
  }
`)

const SEARCH = graphql(`
  query Search($words: String!) {
    searchMemories(query: $words, searchType: HYBRID, limit: 10) {
      results {
        relevance
        memory {
          id
          content
          updatedAt
        }
      }
    }
  }
`)

const PAUSE_MS = 150

type Shown = { id: string; content: string; updatedAt: string }
type Props = { access: Access; changes: number; select(id: string): void }

/** The newest memories in pages or, once words are typed, those that bear on them. */
export function Finder({ access, changes, select }: Props) {
  const [words, setWords] = useState('')
  return (
    <>
      <input
        type="search"
        aria-label="Search"
        value={words}
        onChange={event => setWords(event.target.value)}
      />
      {words.trim() === '' ? (
        <Pages access={access} changes={changes} select={select} />
      ) : (
        <Results access={access} changes={changes} select={select} words={words} />
      )}
    </>
  )
}

function Pages({ access, changes, select }: Props) {
  const [cursors, setCursors] = useState<readonly (string | null)[]>([null])
  const cursor = cursors.at(-1) ?? null
  const page = useAnswer(signal => ask(access, PAGE, { cursor }, signal), [access, cursor, changes])
  if (page.error !== undefined) return <p role="alert">{page.error}</p>
  const next = page.data?.listMemories.nextCursor ?? null
  return (
    <>
      <List memories={present(page.data?.listMemories.memories)} select={select} />
      <button type="button" disabled={cursors.length === 1} onClick={() => setCursors(cursors.slice(0, -1))}>
        Newer
      </button>
      <button type="button" disabled={next === null} onClick={() => setCursors([...cursors, next])}>
        Older
      </button>
    </>
  )
}

/** Waits for a pause in the typing, and gives up a search that nobody needs any more. */
function Results({ access, changes, select, words }: Props & { words: string }) {
  const found = useAnswer(
    async signal => {
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
      signal.throwIfAborted()
      return ask(access, SEARCH, { words }, signal)
    },
    [access, words, changes],
  )
  if (found.error !== undefined) return <p role="alert">{found.error}</p>
  return (
    <List
      memories={present(found.data?.searchMemories.results.map(({ memory }) => memory))}
      select={select}
    />
  )
}

function List({ memories, select }: { memories: readonly Shown[]; select(id: string): void }) {
  return (
    <ul aria-label="Memories">
      {memories.map(({ id, content, updatedAt }) => (
        <li key={id}>
          <button type="button" onClick={() => select(id)}>
            {content}
          </button>{' '}
          <time dateTime={updatedAt}>{new Date(updatedAt).toLocaleString()}</time>
        </li>
      ))}
    </ul>
  )
}

/** A memory is null if it was removed in the meantime. */
const present = (memories: readonly (Shown | null | undefined)[] = []) =>
  memories.filter(memory => memory !== null && memory !== undefined)

/** The answer to the newest question; until it arrives, the answer before. */
export function useAnswer<Result>(
  question: (signal: AbortSignal) => Promise<Result>,
  changing: readonly unknown[],
): { data?: Result; error?: string } {
  const [answer, setAnswer] = useState<{ data?: Result; error?: string }>({})
  useEffect(() => {
    const ending = new AbortController()
    question(ending.signal).then(
      data => setAnswer({ data }),
      (error: unknown) => {
        if (!ending.signal.aborted) setAnswer({ error: String((error as Error).message) })
      },
    )
    return () => ending.abort()
  }, changing)
  return answer
}
