import { useCallback } from 'react'
import { useSearchParams } from 'wouter'

/** A part of the address: what is typed there can be linked, survives a reload, and Back takes it back. */
export function useAddress() {
  const [parameters, setParameters] = useSearchParams()
  const set = useCallback(
    (changes: Readonly<Record<string, string>>, options?: { replace: boolean }) =>
      setParameters(before => {
        const after = new URLSearchParams(before)
        for (const [name, value] of Object.entries(changes))
          if (value === '') after.delete(name)
          else after.set(name, value)
        return after
      }, options),
    [setParameters],
  )
  return { get: (name: string) => parameters.get(name) ?? '', set, text: parameters.toString() }
}
