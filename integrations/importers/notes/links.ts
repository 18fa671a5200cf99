import { posix } from 'node:path'
import type { Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'

/** A link to another note, by the name that stands in it, and the name of the relation if the line is one. */
export type Link = { name: string; target: string; relative: boolean }

/** A text without its code, in which tags and links mean nothing. Every other character keeps its place. */
export function withoutCode(text: string): string {
  const spans = codeIn(fromMarkdown(text))
  let rest = ''
  let end = 0
  for (const [from, to] of spans) {
    rest += text.slice(end, from) + text.slice(from, to).replaceAll(/[^\n]/g, ' ')
    end = to
  }
  return rest + text.slice(end)
}

function codeIn(node: Nodes): [number, number][] {
  const { position } = node
  if (node.type === 'code' || node.type === 'inlineCode')
    return [[position?.start.offset ?? 0, position?.end.offset ?? 0]]
  return 'children' in node ? node.children.flatMap(codeIn) : []
}

/** `#tag` anywhere in the text, with at least one character that is no digit. */
export const hashtags = (text: string): string[] =>
  Array.from(text.matchAll(/(?<=^|\s)#([\p{L}\p{M}\p{N}\p{Extended_Pictographic}_/-]+)/gmu), ([, tag = '']) =>
    withoutSlashes(tag),
  ).filter(tag => /[^\d/]/.test(tag))

const withoutSlashes = (tag: string): string => (tag.endsWith('/') ? withoutSlashes(tag.slice(0, -1)) : tag)

/** `- relation [[Target]]`; any other link is a reference, also one in Markdown's own form to a note. */
export function linksIn(text: string): Link[] {
  return text.split('\n').flatMap(line => {
    const links = [
      ...Array.from(line.matchAll(/\[\[([^[\]]+)\]\]/g), ([, inside = '']) => wikiLink(inside)),
      ...Array.from(line.matchAll(DESTINATION), ([, enclosed, bare]) => markdownLink(enclosed ?? bare ?? '')),
    ].filter(({ target }) => target !== '')
    const [, name] = /^\s*[-*] (?!\[)((?:[^[]|\[(?!\[))*)\[\[/.exec(line) ?? []
    return links.map((link, at) => ({
      ...link,
      name: at === 0 && name !== undefined ? name.trim() || 'relates to' : 'references',
    }))
  })
}

/** The note of `Note#Heading|alias`, `Note#^block` or, in a table, `Note\|alias`. */
function wikiLink(inside: string) {
  const target = (inside.split('|')[0] ?? '').replace(/\\$/, '').split('#')[0]?.trim() ?? ''
  return { target, relative: /^\.{1,2}\//.test(target) }
}

/** What a link in Markdown leads to: between angle brackets, or with brackets in pairs. */
const DESTINATION = /\]\((?:[ \t]*<([^<>\n]*)>[^()<>]*|((?:[^()<>\\]|\\.|\((?:[^()<>\\]|\\.)*\))*))\)/g

/** A destination may have a heading or a title behind the note, and characters that are escaped or encoded. */
function markdownLink(destination: string) {
  const [note = ''] = /^[^#]*?\.md(?=$|[#\s])/i.exec(destination.trim()) ?? []
  const path = note.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
  const isAddress = /^[a-z][a-z0-9+.-]*:/i.test(path)
  return { target: isAddress ? '' : decoded(path), relative: !path.startsWith('/') }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

type Named = { path: string; title: string; permalink: string | undefined }

/**
 * Finds notes as Obsidian does: the exact path first, then a note of that name, or whose path ends so, below the folder of
 * the link, then anywhere; of several the one with the shortest path. A permalink and a title count after that.
 */
export function createResolver(notes: readonly Named[]): (from: string, link: Link) => string | undefined {
  const paths = new Map(notes.map(({ path }) => [fold(path), path]))
  const byBase = Map.groupBy(
    notes.map(({ path }) => path),
    path => fold(posix.basename(path)),
  )
  const byTitle = new Map<string, string>()
  for (const { path, title } of notes) if (!byTitle.has(fold(title))) byTitle.set(fold(title), path)
  for (const { path, permalink } of notes) if (permalink) byTitle.set(fold(permalink), path)
  return (from, { target, relative }) => {
    const wanted = /\.md$/i.test(target) ? target : `${target}.md`
    if (relative) {
      const beside = paths.get(fold(posix.join(posix.dirname(from), wanted)))
      if (beside !== undefined) return beside
    }
    const path = fold(posix.normalize(wanted.replace(/^\//, '')))
    const folder = from.includes('/') ? fold(`${posix.dirname(from)}/`) : ''
    const candidates = (byBase.get(posix.basename(path)) ?? [])
      .filter(each => fold(each) === path || fold(each).endsWith(`/${path}`))
      .sort((a, b) => rank(a, folder) - rank(b, folder) || a.length - b.length || (a < b ? -1 : 1))
    return paths.get(path) ?? candidates[0] ?? byTitle.get(fold(target))
  }
}

const rank = (path: string, folder: string) => (fold(path).startsWith(folder) ? 0 : 1)

/** File systems and editors write accents in one or in two characters. */
const fold = (name: string) => name.normalize('NFC').toLowerCase()
