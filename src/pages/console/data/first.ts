import { useQuery } from '@tanstack/react-query'
import { client } from './client.ts'

/** When the first memory of the tenant was created: null without any, undefined until that is known. */
export function useFirst(): number | null | undefined {
  const { data } = useQuery({
    queryKey: ['first'],
    queryFn: async ({ signal }) => {
      const oldest = { limit: 1, order: 'asc', include_archived: true } as const
      const [memory] = (await client().listMemories(oldest, { signal })).memories
      return memory ? Date.parse(memory.created_at) : null
    },
  })
  return data
}
