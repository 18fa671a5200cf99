import { useQuery } from '@tanstack/react-query'
import { useAddress } from '../../data/address.ts'
import { wordsOf } from '../../data/client.ts'
import type { Type } from '../../parts/connecting.tsx'
import { countOf, firstLine } from '../../parts/words.ts'
import { findPaths, type Path } from './asking.ts'
import type { MemoryGraph } from './reading.ts'
import { asOfOf } from './time.tsx'

/** The best ways between the two memories that the address names. */
export const usePaths = () => {
  const { get } = useAddress()
  const [from, to] = [get('from'), get('to')]
  return useQuery({
    queryKey: ['paths', from, to, asOfOf(get)],
    queryFn: ({ signal }) => findPaths(from, to, asOfOf(get), signal),
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
      <h2>Path</h2>
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
        Clear the path
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
              {by.isOut ? '↓' : '↑'} {tellOf(by.kind, by.isOut)} {by.strength?.toFixed(2)}
            </small>
          )}
        </span>
      ))}
    </button>
  )
}

/** A connection read from one memory to the next, as a part of a sentence. */
const tells: Readonly<Record<Type, readonly [out: string, back: string]>> = {
  related_to: ['is related to', 'is related to'],
  similar_to: ['is similar to', 'is similar to'],
  supports: ['supports', 'is supported by'],
  contradicts: ['contradicts', 'is contradicted by'],
  caused_by: ['was caused by', 'caused'],
  part_of: ['is part of', 'has as a part'],
  references: ['refers to', 'is referred to by'],
  derived_from: ['was derived from', 'led to'],
}

const tellOf = (kind: Type, isOut: boolean) => tells[kind][isOut ? 0 : 1]
