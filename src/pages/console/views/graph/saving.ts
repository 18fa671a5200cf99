import { downloadAsPNG } from '@sigma/export-image'
import type Sigma from 'sigma'
import { client, saveAs } from '../../data/client.ts'
import { filtersOf } from '../../data/finding.ts'
import type { Edge, Node } from './reading.ts'
import { asOfOf } from './time.tsx'

/** Saves the part of the drawing that is in sight. */
export const savePicture = (sigma: Sigma<Node, Edge>) =>
  downloadAsPNG(sigma as unknown as Sigma, {
    fileName: 'memories',
    backgroundColor: getComputedStyle(sigma.getContainer()).backgroundColor,
  })

/** Saves all memories that the filters let pass, and their connections, as GraphML. */
export async function saveGraphml(get: (name: string) => string): Promise<void> {
  const { pieces } = await client().exportGraph({ format: 'graphml', as_of: asOfOf(get), ...filtersOf(get) })
  const parts: string[] = []
  for await (const piece of pieces) parts.push(piece)
  saveAs('memories.graphml', parts, 'application/graphml+xml')
}
