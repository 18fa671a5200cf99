import { parentPort } from 'node:worker_threads'
import { giveWay } from '../../../platform/give-way.ts'
import type { StandingOf, Tie } from '../../../store/graph/communities.ts'
import { MemoryGraph } from './partition.ts'

/** What the thread is given, in this order: memories, connections, then the end. */
export type Piece =
  | { readonly memories: readonly (StandingOf & { live: boolean })[] }
  | { readonly ties: readonly Tie[]; readonly weight: number }
  | { readonly tenant: string }

export type Analysed = ReturnType<MemoryGraph['analyse']>

const graph = new MemoryGraph()
giveWay()

/** Each piece is answered, so that only one is in progress. */
parentPort?.on('message', (piece: Piece) => {
  if ('memories' in piece) graph.addMemories(piece.memories)
  else if ('ties' in piece) graph.addTies(piece.ties, piece.weight)
  parentPort?.postMessage('tenant' in piece ? graph.analyse(piece.tenant) : null)
})
