import { useQuery } from '@tanstack/react-query'
import { client } from './client.ts'

/** Whether the key allows something: what it does not allow is not offered. */
export const useAllowed = (scope: 'write' | 'admin'): boolean =>
  useQuery({
    queryKey: ['access'],
    queryFn: ({ signal }) => client().getAccess({}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  }).data?.scopes.includes(scope) ?? false
