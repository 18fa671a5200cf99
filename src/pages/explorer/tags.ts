import { element, replaceContent } from '../shared/element.ts'
import { TAG_COLOURS } from './palette.ts'
import type { Scene } from './scene.ts'
import type { Memory } from './types.ts'

/** Gives the most frequent tags of what is drawn a colour each, and shows which. */
export function createTagColours(legend: HTMLElement, scene: Scene) {
  let places = new Map<string, number>()
  scene.on(change => change === 'graph' && count())

  function count() {
    const counts = new Map<string, number>()
    for (const { memory } of scene.graph.nodes.values())
      for (const tag of memory.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
    const telling = [...counts].filter(([, number]) => number > 1 && number < scene.graph.nodes.size * 0.9)
    const frequent = telling.sort(([a, x], [b, y]) => y - x || a.localeCompare(b)).slice(0, TAG_COLOURS)
    places = new Map(frequent.map(([tag], place) => [tag, place]))
    replaceContent(legend, ...frequent.map(([tag, number], place) => entry(tag, place, number)))
    legend.hidden = frequent.length === 0
  }

  /** The index of a memory's colour: that of its rarest tag that has one, which is the most specific. */
  function placeOf({ tags }: Memory): number | undefined {
    const known = tags.flatMap(tag => places.get(tag) ?? [])
    return known.length === 0 ? undefined : Math.max(...known)
  }

  return { placeOf }
}

export type TagColours = ReturnType<typeof createTagColours>

const entry = (tag: string, place: number, number: number) =>
  element(
    'li',
    {},
    element('span', { class: `dot tag-${place}`, 'aria-hidden': 'true' }),
    element('span', { class: 'tag-name' }, tag),
    element('small', {}, String(number)),
  )
