import { byId, type Child, element, replaceContent } from '../shared/element.ts'
import type { Explorer } from './explorer.ts'
import { keyOf } from './graph.ts'
import { showHistory } from './history.ts'
import type { ConnectedNode, MemoryView } from './queries.ts'
import type { Scene } from './scene.ts'
import type { Memory } from './types.ts'
import { count, formatFraction, nameOf, titleOf, whenever } from './words.ts'

/** All that is known of the chosen memory, and what one can do with it. */
export function createDetails(scene: Scene, explorer: Explorer) {
  const panel = byId('details')
  explorer.listeners.details = show
  explorer.listeners.history = history => showHistory(scene, history)
  scene.on(change => {
    if (change === 'selection' && !scene.state.selected) show(undefined)
  })
  let shown: string | undefined

  /** The focus stays on its element in the panel, and the scroll position of the same memory is kept. */
  function show(look: MemoryView | undefined) {
    const focused = panel.contains(document.activeElement)
      ? (document.activeElement as HTMLElement)
      : undefined
    const isSame = look !== undefined && look.memory.id === shown
    const [top, contentTop] = isSame ? [panel.scrollTop, partOf('content')?.scrollTop ?? 0] : [0, 0]
    render(look, isSame)
    shown = look?.memory.id
    if (focused) focusOn(isSame ? focused.dataset.key : undefined)
    panel.scrollTop = top
    partOf('content')?.scrollTo({ top: contentTop })
  }

  /** Where that part is gone or cannot be used, on what the memory holds; without a memory on the drawing. */
  function focusOn(key = 'content') {
    const part = partOf(key) ?? partOf('content') ?? byId('canvas')
    part.focus({ preventScroll: true })
  }

  const partOf = (key: string) =>
    panel.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]:not(:disabled)`)

  function render(look: MemoryView | undefined, isSame: boolean) {
    panel.classList.toggle('empty', !look)
    if (!look)
      return replaceContent(
        panel,
        element('h2', {}, 'Nothing chosen'),
        element(
          'p',
          { class: 'hint' },
          'Click a memory to see what it holds and to draw what it is connected to. With the keyboard: the arrow keys choose, Enter expands.',
        ),
        element('h3', {}, 'How to read the drawing'),
        element(
          'ul',
          { class: 'signs' },
          sign('line-asserted', 'A caller asserted the connection'),
          sign('line-discovered', 'The service discovered it'),
          sign('line-strong', 'The stronger, the thicker; the arrow points to the target'),
          sign('ring-hit', 'A hit of the search, with its score'),
          sign('ring-chosen', 'The chosen memory, and the ends of a path'),
        ),
      )
    const { memory, neighbours } = look
    return replaceContent(
      panel,
      element('h2', { class: 'visually-hidden' }, 'Details'),
      element(
        'div',
        {
          ...{ class: 'content', tabindex: '0', role: 'group', 'aria-label': 'Content' },
          'data-key': 'content',
        },
        memory.content,
      ),
      memory.tags.length > 0 &&
        element(
          'ul',
          { class: 'tags', 'aria-label': 'Tags' },
          ...memory.tags.map(tag => element('li', {}, tag)),
        ),
      actions(look),
      element('dl', { class: 'facts' }, ...facts(memory)),
      connections(neighbours),
      isSame ? byId('history') : element('section', { id: 'history', 'aria-label': 'History' }),
    )
  }

  show(undefined)

  const actions = ({ memory: { id }, neighbours }: MemoryView) => {
    const waiting = neighbours.filter(({ memory }) => memory && !scene.graph.nodes.has(memory.id)).length
    return element(
      'div',
      { class: 'actions' },
      button(
        'expand',
        waiting > 0 ? `Expand (${waiting} more)` : 'All drawn',
        () => void explorer.open(id, true),
        waiting === 0,
      ),
      button('from', 'Path from here', () => void explorer.end(id, 'from')),
      button('to', 'Path to here', () => void explorer.end(id, 'to')),
      button('hide', 'Hide', () => explorer.hide(id)),
    )
  }

  const connections = (neighbours: ConnectedNode[]) =>
    element(
      'section',
      { 'aria-label': 'Connections' },
      element('h3', {}, count(neighbours.length, 'connection')),
      element('ul', { class: 'neighbours' }, ...neighbours.map(neighbour)),
    )

  const neighbour = ({ direction, connection, memory }: ConnectedNode) =>
    memory !== null &&
    element(
      'li',
      {},
      element(
        'button',
        { type: 'button', 'data-key': keyOf(connection), click: () => void explorer.open(memory.id, false) },
        element(
          'span',
          { class: `type-name type-${connection.relationshipType}` },
          `${direction === 'OUT' ? '→' : '←'} ${nameOf(connection.relationshipType)}`,
          element(
            'small',
            {},
            ` ${connection.strength === null ? 'no strength' : formatFraction(connection.strength)} · ${connection.origin.toLowerCase()}`,
          ),
        ),
        element('span', {}, titleOf(memory, 80)),
      ),
    )
}

const sign = (name: string, meaning: string) =>
  element('li', {}, element('span', { class: `sign ${name}`, 'aria-hidden': 'true' }), meaning)

const button = (key: string, label: string, click: () => void, disabled = false) =>
  element('button', { type: 'button', 'data-key': key, click, disabled }, label)

function facts(memory: Memory): Child[] {
  const fact = (name: string, ...value: Child[]) => [element('dt', {}, name), element('dd', {}, ...value)]
  return [
    ...fact('Health', health(memory.health), ` ${Math.round(memory.health)} of 100`),
    ...fact('Importance', importance(memory.importance), ` ${formatFraction(memory.importance)}`),
    ...fact('Policy', memory.policy.replaceAll('_', ' ')),
    ...fact(
      'Recalled',
      memory.recallCount === 0 ? 'never' : count(memory.recallCount, 'time'),
      ...last(memory),
    ),
    ...fact('Expires', memory.expiresAt === null ? 'never' : time(memory.expiresAt)),
    ...fact('Created', time(memory.createdAt)),
    ...fact('Changed', time(memory.updatedAt), `, version ${memory.version}`),
    ...fact('Id', element('code', {}, memory.id)),
  ]
}

const last = ({ lastRecalledAt }: Memory): Child[] =>
  lastRecalledAt === null ? [] : [', last ', time(lastRecalledAt)]

const time = (at: string) =>
  element('time', { datetime: at, title: new Date(at).toLocaleString() }, whenever(at))

/** Little health is a warning; little importance is none. */
const health = (value: number) =>
  element('meter', { value, max: 100, low: 25, high: 50, optimum: 100, 'aria-hidden': 'true' })

const importance = (value: number) => element('meter', { value, max: 1, 'aria-hidden': 'true' })
