import { useIsFetching } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'

/** Queries that follow one another are this close. */
const CLOSE_MS = 40
/** A card that is slower than this appears by itself. */
const LONGEST_MS = 1_000

/** Cards that appear at once, when the first answer of each is there: none of them is moved by one above it. */
export function Together({ children }: { children: ReactNode }) {
  const isFetching = useIsFetching() > 0
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (isShown) return
    const waiting = setTimeout(() => setShown(true), isFetching ? LONGEST_MS : CLOSE_MS)
    return () => clearTimeout(waiting)
  }, [isFetching, isShown])
  return <div className={isShown ? 'page' : 'page coming'}>{children}</div>
}
