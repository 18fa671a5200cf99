import type { Line } from './bundle.ts'
import type { LineFault } from './bundle-reading.ts'

/**
 * Which line may follow which: sections have one order, and a vector follows its memory. Returns the fault, if any.
 */
export function orderFault(before: Line | undefined, next: Line): LineFault | undefined {
  const wrong = (rule: string): LineFault => ({ code: 'wrong_order', rule, path: [] })
  if (next.section === 'checkpoint') return undefined
  if (before === undefined)
    return next.section === 'bundle' ? undefined : wrong('must have the section “bundle”, which comes first')
  if (
    next.section === 'bundle' ||
    ranks[next.section] < ranks[before.section] ||
    before.section === 'manifest'
  )
    return wrong(`has the section “${next.section}”, which cannot follow “${before.section}”`)
  if (next.section === 'vectors' && (before.section !== 'memories' || before.id !== next.id))
    return wrong('must follow the memory that its vector belongs to')
  return undefined
}

const ranks = {
  bundle: 0,
  policies: 1,
  memories: 2,
  vectors: 2,
  versions: 3,
  connections: 4,
  earlier_connections: 5,
  rejections: 6,
  manifest: 7,
  checkpoint: 0,
}
