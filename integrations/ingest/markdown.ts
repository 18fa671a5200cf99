import type { Nodes, RootContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { toString as textOf } from 'mdast-util-to-string'
import { divideFrontMatter } from '../reading/text.ts'

/** Paragraphs under a path of headings, before they are cut to size. */
export type Unit = { path: string[]; blocks: string[] }

/**
 * In characters. A memory is one thought: long enough to be understood alone, short enough that its vector stands for all
 * of it (small sentence-transformers read some 250 words) and that a result can be read quickly.
 */
export const COMFORTABLE = 2_000

/**
 * The parts of a Markdown text between its headings, each under the path of headings that leads to it. Parts
 * without content of their own are left out: badges, images, comments, link definitions, tables of contents.
 */
export function readMarkdown(whole: string, fallbackTitle: string): Unit[] {
  const { yaml, text } = divideFrontMatter(whole)
  const { children } = fromMarkdown(text)
  const title = titleOf(yaml, children) ?? fallbackTitle
  const units: Unit[] = [{ path: [title], blocks: [] }]
  let open: { depth: number; name: string }[] = []
  for (const node of children) {
    if (node.type === 'heading') {
      const name = lineOf(textOf(node))
      if (name === '') continue
      open = [...open.filter(({ depth }) => depth < node.depth), { depth: node.depth, name }]
      const path = open.map(heading => heading.name)
      units.push({ path: path[0] === title ? path : [title, ...path], blocks: [] })
    } else units.at(-1)?.blocks.push(...blocksOf(node, text))
  }
  return units
}

function titleOf(yaml: string | undefined, children: readonly RootContent[]): string | undefined {
  const named = withoutQuotes(/^title:(.+)$/m.exec(yaml ?? '')?.[1]?.trim())
  const heading = children.find(node => node.type === 'heading' && node.depth === 1)
  return lineOf(named ?? (heading ? textOf(heading) : '')) || undefined
}

const withoutQuotes = (text: string | undefined) =>
  text !== undefined && text.length > 1 && /^["']/.test(text) && text.endsWith(text.charAt(0))
    ? text.slice(1, -1)
    : text

/** The text of a node as it is written, a long list by its items; empty for a node without content. */
function blocksOf(node: RootContent, text: string): string[] {
  if (node.type === 'html') return [withoutTags(node.value)].filter(Boolean)
  if (isSilent(node)) return []
  if (node.type === 'list' && lengthOf(node) > COMFORTABLE)
    return node.children.map(item => sourceOf(item, text)).filter(Boolean)
  return [sourceOf(node, text)].filter(Boolean)
}

function isSilent(node: RootContent): boolean {
  switch (node.type) {
    case 'definition':
    case 'thematicBreak':
      return true
    case 'paragraph':
      return textOf(node, { includeImageAlt: false, includeHtml: false }).trim() === ''
    case 'list':
      return isContents(node)
    default:
      return false
  }
}

/** A list of nothing but links to places in the same text. */
function isContents(node: Nodes): boolean {
  if (node.type === 'link') return node.url.startsWith('#')
  if (node.type === 'text') return node.value.trim() === ''
  return 'children' in node && node.children.length > 0 && node.children.every(isContents)
}

const withoutTags = (html: string) =>
  html
    .replaceAll(/<!--.*?(-->|$)/gs, '')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/\n\s*\n/g, '\n')
    .trim()

const offsets = ({ position }: Nodes) => [position?.start.offset ?? 0, position?.end.offset ?? 0] as const
const sourceOf = (node: Nodes, text: string) => text.slice(...offsets(node)).trim()
const lengthOf = (node: Nodes) => offsets(node)[1] - offsets(node)[0]
const lineOf = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 200).trim()
