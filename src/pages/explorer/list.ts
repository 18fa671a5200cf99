import { byId, type Child, element, replaceContent } from '../shared/element.ts'
import type { Explorer } from './explorer.ts'
import type { Edge, Node } from './graph.ts'
import type { Scene } from './scene.ts'
import type { Memory } from './types.ts'
import { count, formatFraction, memories, nameOf, titleOf } from './words.ts'

/** How many connections the list holds at most, strongest first. */
const MOST_CONNECTIONS = 500

/** The drawing as two tables, for those who do not see it or would rather read. Kept up to date while it shows. */
export function createList(scene: Scene, explorer: Explorer) {
  const [panel, canvas] = [byId('list'), byId('canvas')]
  const [asDrawing, asList] = [byId('as-drawing'), byId('as-list')]
  asDrawing.addEventListener('click', () => show(false))
  asList.addEventListener('click', () => show(true))
  scene.on(
    change =>
      !panel.hidden && (change === 'graph' || change === 'filter' || change === 'selection') && render(),
  )

  function show(list: boolean) {
    panel.hidden = !list
    canvas.hidden = list
    byId('drawing').classList.toggle('listing', list)
    asDrawing.setAttribute('aria-pressed', String(!list))
    asList.setAttribute('aria-pressed', String(list))
    if (!list) return canvas.focus()
    render()
    panel.querySelector<HTMLElement>('button')?.focus()
  }

  function render() {
    const focused = (document.activeElement as HTMLElement | null)?.dataset.row
    const nodes = [...scene.graph.nodes.values()].sort((a, b) => rank(b) - rank(a) || b.degree - a.degree)
    const edges = scene.graph.edges().toSorted((a, b) => b.weight - a.weight)
    const part = edges.slice(0, MOST_CONNECTIONS)
    replaceContent(
      panel,
      table(
        memories(nodes.length),
        ['Memory', 'Score', 'Connections', 'Tags', 'Health'],
        nodes.map(memoryRow),
      ),
      table(
        part.length < edges.length
          ? `The ${part.length} strongest of ${count(edges.length, 'connection')}`
          : count(edges.length, 'connection'),
        ['From', 'Type', 'To', 'Strength', 'Made by'],
        part.map(connectionRow),
      ),
    )
    if (focused) panel.querySelector<HTMLElement>(`[data-row="${CSS.escape(focused)}"]`)?.focus()
  }

  const rank = ({ id }: Node) => scene.state.hits.get(id)?.score ?? -1

  const memoryRow = ({ id, memory, degree }: Node): Child[] => {
    const hit = scene.state.hits.get(id)
    return [
      go(memory, `memory ${id}`),
      hit ? formatFraction(hit.score) : '',
      String(degree),
      memory.tags.join(', '),
      String(Math.round(memory.health)),
    ]
  }

  const connectionRow = ({ key, source, target, connection }: Edge): Child[] => [
    go(source.memory, `from ${key}`),
    element(
      'span',
      { class: `type-name type-${connection.relationshipType}` },
      nameOf(connection.relationshipType),
    ),
    go(target.memory, `to ${key}`),
    connection.strength === null ? '' : formatFraction(connection.strength),
    connection.origin.toLowerCase(),
  ]

  const go = (memory: Memory, row: string) =>
    element(
      'button',
      {
        ...{
          type: 'button',
          class: 'link',
          'data-row': row,
          click: () => void explorer.open(memory.id, true),
        },
        ...(memory.id === scene.state.selected ? { 'aria-current': 'true' } : {}),
      },
      titleOf(memory, 70),
    )

  return { show }
}

const table = (caption: string, heads: string[], rows: Child[][]) =>
  element(
    'table',
    {},
    element('caption', {}, caption),
    element('thead', {}, element('tr', {}, ...heads.map(head => element('th', { scope: 'col' }, head)))),
    element(
      'tbody',
      {},
      ...rows.map(cells => element('tr', {}, ...cells.map(cell => element('td', {}, cell)))),
    ),
  )
