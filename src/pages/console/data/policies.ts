import { useQuery } from '@tanstack/react-query'
import type { Output } from '../../../contract/index.ts'
import { client } from './client.ts'

export type Policy = Output<'listPolicies'>['policies'][number]

/** The policies of the tenant; none until they are read. */
export const usePolicies = (): readonly Policy[] =>
  useQuery({
    queryKey: ['policies'],
    queryFn: ({ signal }) => client().listPolicies({}, { signal }),
  }).data?.policies ?? []
