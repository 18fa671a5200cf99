import { useQueryClient } from '@tanstack/react-query'
import { useNotices } from '../parts/notices.tsx'

/**
 * Does something, says so, offers to take it back where `undo` does that, and reads again what is shown. If it is refused, it
 * says why.
 */
export function useAct() {
  const { tell, complain } = useNotices()
  const queries = useQueryClient()
  return async <Done>(
    words: string | ((done: Done) => string),
    run: () => Promise<Done>,
    undo?: () => Promise<unknown>,
  ) => {
    try {
      const done = await run()
      const takeBack = undo && (() => undo().then(() => queries.invalidateQueries()))
      tell(typeof words === 'string' ? words : words(done), takeBack)
      await queries.invalidateQueries()
    } catch (error) {
      complain(error)
    }
  }
}
