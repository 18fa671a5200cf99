import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type ImportSource, lose, nothingFound, SourceError } from './found.ts'

type Note = {
  path: string
  title: string
  names: string[]
  text: string
  matter: string
  at: string
  changed: string
}

/** A folder of basic-memory: a note becomes a memory, its relations and links connections, its hashtags tags, its front matter metadata. */
export async function readBasicMemory(folder: string): Promise<ImportSource> {
  const found = nothingFound()
  const names = (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.md')).toSorted()
  if (names.length === 0) throw new SourceError(`There are no Markdown files in ${folder}.`)
  const notes = await Promise.all(names.map(name => readNote(folder, name)))
  const byName = new Map(notes.flatMap(note => note.names.map(name => [name.toLowerCase(), note.path])))
  for (const note of notes) {
    found.memories.push({
      key: note.path,
      content: note.text,
      tags: [...listOf(note.matter, 'tags'), ...hashtags(note.text)],
      source: note.path,
      metadata: matterOf(note.matter),
      createdAt: note.at,
      updatedAt: note.changed,
    })
    for (const { name, target } of relationsOf(note.text))
      found.connections.push({
        source: note.path,
        target: byName.get(target.toLowerCase()) ?? target,
        name,
        createdAt: note.changed,
      })
    for (const field of fieldsOf(note.matter))
      if (!ELSEWHERE.includes(field) && fieldIn(note.matter, field) === undefined)
        lose(found, `front matter “${field}”`)
  }
  const categories = notes.flatMap(({ text }) => text.match(/^[^\S\n]*[-*] \[[^\]\n]+\] /gm) ?? [])
  lose(found, 'the category of an observation as a field: it stays in the text', categories.length)
  return found
}

/** Front matter that has a place other than the metadata. */
const ELSEWHERE = ['title', 'tags', 'created', 'modified']

const matterOf = (matter: string) =>
  Object.fromEntries(
    fieldsOf(matter)
      .filter(name => !ELSEWHERE.includes(name))
      .map(name => [name, fieldIn(matter, name)]),
  )

async function readNote(folder: string, path: string): Promise<Note> {
  const file = join(folder, path)
  const [whole, { mtime }] = await Promise.all([readFile(file, 'utf8'), stat(file)])
  const [, matter = '', body = whole] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(whole) ?? []
  const title = fieldIn(matter, 'title') ?? basename(path, '.md')
  const permalink = fieldIn(matter, 'permalink')
  const text = body.trim()
  return {
    path,
    title,
    names: [title, basename(path, '.md'), path.slice(0, -3), ...(permalink ? [permalink] : [])],
    text: text.startsWith('# ') ? text : `# ${title}\n\n${text}`,
    matter,
    at: timeOf(fieldIn(matter, 'created')) ?? mtime.toISOString(),
    changed: timeOf(fieldIn(matter, 'modified')) ?? mtime.toISOString(),
  }
}

const timeOf = (text: string | undefined) =>
  text === undefined || Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString()

/** `- relation [[Target]]`, and a link elsewhere in the text. */
function relationsOf(text: string): { name: string; target: string }[] {
  return text.split('\n').flatMap(line => {
    const [, name, target] = /^\s*[-*] (?!\[)((?:[^[]|\[(?!\[))*)\[\[([^[\]]+)\]\]/.exec(line) ?? []
    if (target !== undefined) return [{ name: name?.trim() || 'relates to', target: nameIn(target) }]
    return Array.from(line.matchAll(/\[\[([^[\]]+)\]\]/g), ([, link = '']) => ({
      name: 'references',
      target: nameIn(link),
    }))
  })
}

const nameIn = (link: string) => link.split('|')[0]?.trim() ?? ''

const hashtags = (text: string) =>
  Array.from(text.matchAll(/(?<=\s)#([\p{L}\p{N}_/-]+)/gu), ([, tag = '']) => tag)

const fieldIn = (matter: string, name: string) =>
  new RegExp(`^${name}:[ \\t]*(["']?)(.+?)\\1[ \\t]*$`, 'm').exec(matter)?.[2]

const fieldsOf = (matter: string) => Array.from(matter.matchAll(/^([\w-]+):/gm), ([, name = '']) => name)

/** A list in brackets, or in lines of its own. */
function listOf(matter: string, name: string): string[] {
  const inline = new RegExp(`^${name}:[ \\t]*\\[(.*)\\]`, 'm').exec(matter)?.[1]
  const below = new RegExp(`^${name}:[ \\t]*\\r?\\n((?:[ \\t]*- .*(?:\\r?\\n|$))+)`, 'm').exec(matter)?.[1]
  const items = inline?.split(',') ?? below?.split('\n').map(line => line.replace(/^[ \t]*- /, '')) ?? []
  return items.map(each => each.trim().replaceAll(/^["']|["']$/g, '')).filter(each => each !== '')
}
