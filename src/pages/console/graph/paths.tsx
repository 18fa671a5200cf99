import { useQuery } from '@tanstack/react-query'
import { useAddress } from '../address.ts'
import { wordsOf } from '../api.ts'
import { firstLine } from '../memories.tsx'
import { countOf, inWords } from '../words.ts'
import { findPaths, type Path } from './asking.ts'
import type { MemoryGraph } from './reading.ts'

/** The best ways between the two memories that the address names. */
export const usePaths = () => {
  const { get } = useAddress()
  const [from, to] = [get('from'), get('to')]
  return useQuery({
    queryKey: ['paths', from, to],
    queryFn: ({ signal }) => findPaths(from, to, signal),
    enabled: from !== '' && to !== '',
  })
}

type Props = {
  graph: MemoryGraph | undefined
  found: ReturnType<typeof usePaths>
  shown: number
  show: (at: number) => void
}

export function Paths({ graph, found, shown, show }: Props) {
  const { get, set } = useAddress()
  const nameOf = (id: string) => (graph?.hasNode(id) ? graph.getNodeAttribute(id, 'title') : id)
  if (get('from') === '') return null
  return (
    <section aria-label="Path">
      <h3>Path</h3>
      <p>From {nameOf(get('from'))}</p>
      {get('to') === '' ? (
        <p className="hint">Choose another memory, then “Path to here”, or connect the two.</p>
      ) : (
        <p>To {nameOf(get('to'))}</p>
      )}
      {found.error && <p role="alert">{wordsOf(found.error)}</p>}
      {found.data?.length === 0 && <p className="hint">No way of at most five connections leads there.</p>}
      <ol>
        {found.data?.map((path, at) => (
          <li key={at}>
            <Way path={path} isShown={at === shown} show={() => show(at)} />
          </li>
        ))}
      </ol>
      <button type="button" className="quiet" onClick={() => set({ from: '', to: '' })}>
        Forget the path
      </button>
    </section>
  )
}

function Way({ path, isShown, show }: { path: Path; isShown: boolean; show: () => void }) {
  const { score, steps } = path
  const length = steps.length - 1
  return (
    <button type="button" className="way" aria-pressed={isShown} onClick={show}>
      <strong>
        {countOf(length, 'connection')}, score {score.toFixed(2)}
      </strong>
      {steps.map(({ id, content, by }) => (
        <span key={id}>
          {firstLine({ content })}
          {by && (
            <small>
              {by.isOut ? '↓' : '↑'} {inWords(by.kind)} {by.strength?.toFixed(2)}
            </small>
          )}
        </span>
      ))}
    </button>
  )
}
