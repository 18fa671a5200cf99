import { useEffect, useState } from 'react'
import { useGo } from './going.ts'

const steps = [
  [
    '/memories',
    'Memories',
    'Search by meaning or by words. Add tag: or source: to narrow. The arrow keys show a preview.',
  ],
  [
    '/graph',
    'Graph',
    'See what belongs together. Click a memory, then choose Path from here to see how two are linked.',
  ],
  [
    '/overview',
    'Overview',
    'See how the memories grow, and what needs somebody: conflicts, duplicates, failed jobs.',
  ],
  [
    '/maintenance',
    'Maintenance',
    'Resolve conflicts, merge duplicates, forget a source. You see each plan before it runs, and can undo it.',
  ],
  [
    '/keys',
    'Keys',
    'Give each agent a key of its own. Press Ctrl-K anywhere to find the rest, and ? for the shortcuts.',
  ],
] as const

/** The tour goes on where it was when another page of the console is loaded. */
const PLACE = 'mnemograph.tour'

export function useTour() {
  const [step, setStep] = useState(() => Number(sessionStorage.getItem(PLACE) ?? -1))
  const go = useGo()
  const show = (next: number) => {
    const path = steps[next]?.[0]
    if (path) sessionStorage.setItem(PLACE, String(next))
    else sessionStorage.removeItem(PLACE)
    setStep(path ? next : -1)
    if (path) go(path)
  }
  useEffect(() => {
    const begin = () => show(0)
    addEventListener('mnemograph-tour', begin)
    return () => removeEventListener('mnemograph-tour', begin)
  })
  return { step, show, begin: () => show(0) }
}

/** Starts the tour from any view. */
export const beginTour = () => dispatchEvent(new Event('mnemograph-tour'))

export function Tour({ step, show }: { step: number; show: (step: number) => void }) {
  const [, title, text] = steps[step] ?? []
  if (!title) return null
  return (
    <aside className="tour" aria-label="Tour">
      <h2>
        {step + 1} of {steps.length}: {title}
      </h2>
      <p>{text}</p>
      <p className="actions">
        <button type="button" className="primary" onClick={() => show(step + 1)}>
          {step + 1 < steps.length ? 'Next' : 'Finish'}
        </button>
        <button type="button" onClick={() => show(-1)}>
          Leave the tour
        </button>
      </p>
    </aside>
  )
}
