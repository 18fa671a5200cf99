import { byId, element, replaceContent } from '../shared/element.ts'
import type { Scene } from './scene.ts'
import { type Filter, type Origin, origins, type RelationshipType, relationshipTypes } from './types.ts'
import { count, formatFraction, memories, nameOf } from './words.ts'

/** Which connections are drawn: by type, by who made them, by strength. It is the legend as well. */
export function createFilters(scene: Scene) {
  const types = new Map(relationshipTypes.map(type => [type, toggle(typeLabel(type), changed)]))
  const makers = new Map(origins.map(origin => [origin, toggle(originLabel(origin), changed)]))
  const strength = element('input', {
    ...{ type: 'range', id: 'strength', min: 0, max: 1, step: 0.01, value: 0, input: changed },
  })
  const shown = element('output', { for: 'strength' }, '0.00')
  replaceContent(
    byId('filters'),
    group('Types', ...[...types.values()].map(({ label }) => label)),
    group('Made by', ...[...makers.values()].map(({ label }) => label)),
    group('Strength', element('label', { class: 'range' }, 'at least ', strength, shown)),
  )
  scene.on(change => (change === 'graph' || change === 'filter') && tally())

  function changed() {
    const on = <Name>(toggles: Map<Name, Toggle>) =>
      new Set([...toggles].filter(([, { box }]) => box.checked).map(([name]) => name))
    const filter: Filter = { types: on(types), origins: on(makers), minStrength: Number(strength.value) }
    replaceContent(shown, formatFraction(filter.minStrength))
    scene.set('filter', { filter, path: undefined })
  }

  /** How much of what is on the page is drawn. */
  function tally() {
    const edges = scene.graph.edges().length
    replaceContent(byId('tally'), `${memories(scene.graph.nodes.size)} · ${count(edges, 'connection')}`)
  }
}

type Toggle = ReturnType<typeof toggle>

function toggle(content: Node[], change: () => void) {
  const box = element('input', { type: 'checkbox', checked: true, change })
  return { box, label: element('label', { class: 'toggle' }, box, ...content) }
}

const group = (name: string, ...labels: Node[]) =>
  element('fieldset', {}, element('legend', {}, name), ...labels)

const typeLabel = (type: RelationshipType) => [
  element('span', { class: `swatch type-${type}`, 'aria-hidden': 'true' }),
  element('span', {}, nameOf(type)),
]

const originLabel = (origin: Origin) => [
  element('span', { class: `swatch line-${origin.toLowerCase()}`, 'aria-hidden': 'true' }),
  element('span', {}, origin === 'ASSERTED' ? 'callers (asserted)' : 'the service (discovered)'),
]
