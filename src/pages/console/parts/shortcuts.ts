import { useEffect, useRef } from 'react'

/** `keys` are pressed one after the other: `g m`. */
type Shortcut = { keys: string; name: string; run: () => void }

const known = new Set<Shortcut>()
const WAIT_MS = 900

/** A shortcut while the component is shown. */
export function useShortcut(keys: string, name: string, run: () => void, isOn = true) {
  const now = useRef(run)
  now.current = run
  useEffect(() => {
    if (!isOn) return
    const shortcut = { keys, name, run: () => now.current() }
    known.add(shortcut)
    return () => void known.delete(shortcut)
  }, [keys, name, isOn])
}

export const shortcutsNow = (): readonly Shortcut[] => [...known]

let before = ''
let at = 0

/** Letters belong to what is being typed into, and to an open dialog. */
export function hear(event: KeyboardEvent) {
  if (event.defaultPrevented) return
  const isCommand = event.ctrlKey || event.metaKey
  const key = isCommand ? `Ctrl ${event.key.toUpperCase()}` : event.key
  const target = event.target as HTMLElement
  const isTyped =
    target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    document.querySelector('[role="dialog"], [role="menu"]') !== null
  if ((isTyped && !isCommand) || event.altKey) return
  const sequence = Date.now() - at < WAIT_MS ? `${before} ${key}`.trim() : key
  const found =
    [...known].find(({ keys }) => keys === sequence) ?? [...known].find(({ keys }) => keys === key)
  before = found ? '' : key
  at = Date.now()
  if (!found) return
  event.preventDefault()
  found.run()
}
