import { useQueryClient } from '@tanstack/react-query'
import { useNotices } from './notices.tsx'

/** Does something, says so, and reads again what is shown; says why if it is refused. */
export function useAct() {
  const { tell, complain } = useNotices()
  const queries = useQueryClient()
  return async (words: string, run: () => Promise<unknown>) => {
    try {
      await run()
      tell(words)
      await queries.invalidateQueries()
    } catch (error) {
      complain(error)
    }
  }
}
