import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', 'node_modules')

/** A file of an installed package. */
export type PackageFile = { readonly package: string; readonly text: string }

/** Files of the packages that stand directly in `node_modules`, in the order of their names; each text once. */
export function packageFiles(patterns: string | string[]): PackageFile[] {
  const paths = globSync(patterns, { cwd: root, exclude: path => path.includes('/node_modules/') })
  const files = paths.toSorted().map(path => ({
    package: (/^(?:@[^/]+\/)?[^/]+/.exec(path) as RegExpExecArray)[0],
    text: readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n'),
  }))
  return [...new Map(files.map(file => [file.text, file])).values()]
}

/** Texts of the doc comments of TypeScript declarations, without code, tags and markup, with what follows each. */
export function docComments(text: string): { prose: string; links: string[]; declared: string }[] {
  return [...text.matchAll(/\/\*\*([\s\S]*?)\*\/\s*([^\n]*)/g)].map(([, comment = '', declared = '']) => {
    const lines = comment.replaceAll(/^[ \t]*\* ?/gm, '').split(/^\s*@\w+/m, 1)[0] as string
    const links = [...lines.matchAll(/\]\((\S+?)\)/g)].map(([, link]) => link as string)
    return { prose: plain(lines), links, declared }
  })
}

/** Prose without code blocks, HTML, links, images and emphasis; paragraphs stay apart. */
export const plain = (markdown: string): string =>
  markdown
    .replaceAll(/^ {0,3}(```+|~~~+)[\s\S]*?^ {0,3}\1\s*$/gm, '')
    .replaceAll(/<[^>\n]*>/g, ' ')
    .replaceAll(/!\[[^\]]*\](\([^)]*\)|\[[^\]]*\])/g, ' ')
    .replaceAll(/\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replaceAll(/\{@link(?:code)?\s+([^}\s|]+)[^}]*\}/g, '$1')
    .replaceAll(/\*\*|__/g, '')
    .replaceAll(/[ \t]+/g, ' ')
    .trim()

export const paragraphs = (prose: string): string[] =>
  prose
    .split(/\n\s*\n/)
    .map(each => each.replaceAll(/\s+/g, ' ').trim())
    .filter(each => each !== '')

export const sentences = (paragraph: string): string[] =>
  paragraph.split(/(?<=[.!?])\s+(?=[\p{Lu}`"'])/u).map(each => each.trim())
