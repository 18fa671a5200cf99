import type { ChangeEvent } from 'react'

/** The text of a field for a time, to the minute and in UTC. */
type TimeField = { value: string; onChange: (event: ChangeEvent<HTMLInputElement>) => void }

/** A time in UTC as a field for times takes it. */
export const minuteOf = (time: string | null | undefined) => time?.slice(0, 16) ?? ''

/** Between which times a memory or a connection holds. */
export const HoldsBetween = ({ from, until }: { from: TimeField; until: TimeField }) => (
  <>
    <label className="field">
      Holds from (UTC)
      <input type="datetime-local" {...from} />
    </label>
    <label className="field">
      Holds until (UTC)
      <input type="datetime-local" {...until} />
    </label>
  </>
)
