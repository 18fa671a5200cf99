import { type RelationshipType, relationshipTypes } from './types.ts'

/** How many tags have a colour of their own. */
export const TAG_COLOURS = 6

export type Palette = {
  ground: string
  text: string
  muted: string
  accent: string
  node: string
  tags: string[]
  types: Record<RelationshipType, string>
}

/** The colours of the style sheet as they are now, for the drawing, which no style sheet reaches. */
export function readPalette(): Palette {
  const probe = document.createElement('span')
  document.body.append(probe)
  const read = (name: string) => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }
  const palette = {
    ground: read('ground'),
    text: read('text'),
    muted: read('muted'),
    accent: read('accent'),
    node: read('node'),
    tags: Array.from({ length: TAG_COLOURS }, (_, index) => read(`tag-${index}`)),
    types: Object.fromEntries(
      relationshipTypes.map(type => [type, read(`type-${type}`)]),
    ) as Palette['types'],
  }
  probe.remove()
  return palette
}
