import { useQuery } from '@tanstack/react-query'
import type { Scope } from '../../../contract/route.ts'
import { client } from './client.ts'

/** What the key allows, and nothing until that is known. */
export const useScopes = (): readonly string[] =>
  useQuery({
    queryKey: ['access'],
    queryFn: ({ signal }) => client().getAccess({}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  }).data?.scopes ?? []

/** Whether the key allows something: what it does not allow is not offered. */
export const useAllowed = (scope: Scope): boolean => useScopes().includes(scope)
