import { byId, element, replaceContent } from '../shared/element.ts'
import type { History } from './queries.ts'
import type { Scene } from './scene.ts'
import type { HistoryEntry } from './types.ts'
import { count, nameOf, titleOf, whenever } from './words.ts'

/** How many changes are shown. */
const MOST = 40

/** What has become of the chosen memory and of its connections, newest first, shown among the details. */
export function showHistory(scene: Scene, { changes, isWhole }: History) {
  const rows = changes
    .slice(0, MOST)
    .map(change =>
      element(
        'li',
        {},
        element(
          'time',
          { datetime: change.at, title: new Date(change.at).toLocaleString() },
          whenever(change.at),
        ),
        element('span', {}, describeChange(scene, change)),
      ),
    )
  replaceContent(
    byId('history'),
    element('h3', {}, `History: ${isWhole ? '' : 'the first '}${count(changes.length, 'change')}`),
    element('ol', { class: 'changes' }, ...rows),
  )
}

function describeChange({ graph, state }: Scene, { kind, version, connection }: HistoryEntry): string {
  const what = kind.toLowerCase()
  if (!connection) return version === null ? what : `${what}, version ${version}`
  const isSource = connection.sourceId === state.selected
  const other = graph.nodes.get(isSource ? connection.targetId : connection.sourceId)
  const name = other ? titleOf(other.memory, 40) : 'a memory that is not drawn'
  const by = connection.origin === 'DISCOVERED' ? ', discovered' : ''
  return `${what}: ${isSource ? '→' : '←'} ${nameOf(connection.relationshipType)} ${name}${by}`
}
