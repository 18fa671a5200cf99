import { useEffect, useState } from 'react'
import { useAddress } from '../../data/address.ts'
import { useFirst } from '../../data/first.ts'

/** After the last step of the slider the graph is read. */
const SETTLE_MS = 150
/** So many places the slider has between the first memory and now. */
const PLACES = 500

/** The time of the past that the address names, as the service takes it; undefined for the present. */
export function asOfOf(get: (name: string) => string): string | undefined {
  const at = Date.parse(get('at'))
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

/** A slider from the first memory to now: the graph is shown as it was at the time. Until the first is known it is off. */
export function TimeChoice() {
  const { get, set } = useAddress()
  const asOf = asOfOf(get)
  const began = useFirst() ?? undefined
  const [opened] = useState(() => Date.now())
  const [moved, setMoved] = useState<number | undefined>(undefined)
  useEffect(() => {
    if (moved === undefined) return
    const waiting = setTimeout(() => {
      set({ at: moved >= opened ? '' : new Date(moved).toISOString() }, { replace: true })
      setMoved(undefined)
    }, SETTLE_MS)
    return () => clearTimeout(waiting)
  }, [moved, opened, set])
  const at = moved ?? (asOf === undefined ? opened : Date.parse(asOf))
  const least = began ?? at - 1
  const step = Math.max(1, (opened - least) / PLACES)
  return (
    <div className="time">
      <label>
        As it was
        <input
          type="range"
          disabled={began === undefined}
          min={least}
          max={opened}
          step={step}
          value={at}
          aria-valuetext={at >= opened ? 'now' : wordsOf(at)}
          onChange={({ target: { valueAsNumber } }) =>
            setMoved(valueAsNumber > opened - step ? opened : valueAsNumber)
          }
        />
      </label>
      <output>{at >= opened ? 'now' : wordsOf(at)}</output>
      {asOf !== undefined && (
        <button type="button" onClick={() => set({ at: '' })}>
          Back to now
        </button>
      )}
    </div>
  )
}

const wordsOf = (at: number) =>
  new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
