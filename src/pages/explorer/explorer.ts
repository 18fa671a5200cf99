import { createListeners, type ExplorerParts } from './listeners.ts'
import { createLooking } from './looking.ts'
import { createSearching } from './searching.ts'
import { createWalking } from './walking.ts'
import { createWidening } from './widening.ts'

/** What a reader can do: each asks the service, changes the scene and says what has come of it. */
export function createExplorer(given: Omit<ExplorerParts, 'listeners'>) {
  const listeners = createListeners()
  const parts = { ...given, listeners }
  createWidening(parts)
  return { listeners, ...createSearching(parts), ...createLooking(parts), ...createWalking(parts) }
}

export type Explorer = ReturnType<typeof createExplorer>
