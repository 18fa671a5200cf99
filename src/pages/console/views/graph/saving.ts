import { downloadAsPNG } from '@sigma/export-image'
import type Sigma from 'sigma'
import { client, saveAs } from '../../data/client.ts'
import { filtersOf, stateOf } from '../../data/finding.ts'
import type { Edge, Node } from './reading.ts'
import { asOfOf } from './time.tsx'

/** Saves the part of the drawing that is in sight. */
export const savePicture = (sigma: Sigma<Node, Edge>) =>
  downloadAsPNG(sigma as unknown as Sigma, {
    fileName: 'memories',
    backgroundColor: getComputedStyle(sigma.getContainer()).backgroundColor,
  })

/** Saves all memories that the filters let pass, and their connections, as GraphML. An export has no archived ones alone. */
export async function saveGraphml(get: (name: string) => string): Promise<void> {
  const { pieces } = await client().exportGraph({
    ...{ format: 'graphml', as_of: asOfOf(get), include_archived: stateOf(get) === 'any' },
    ...filtersOf(get),
  })
  const parts: string[] = []
  for await (const piece of pieces) parts.push(piece)
  saveAs('memories.graphml', parts, 'application/graphml+xml')
}
