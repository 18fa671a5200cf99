import { useQuery } from '@tanstack/react-query'
import type { Output } from '../../../../contract/index.ts'
import { client } from '../../data/client.ts'

export type Related = Output<'relatedMemories'>['related']

/** What a memory is connected with, whenever that held. */
export const useRelated = (id: string) =>
  useQuery({
    queryKey: ['related', id],
    queryFn: ({ signal }) =>
      client().relatedMemories({ id, direction: 'both', limit: 50, valid_at: 'any' }, { signal }),
  })
