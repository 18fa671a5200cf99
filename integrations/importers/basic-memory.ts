import { basename } from 'node:path/posix'
import { type ImportSource, leaveOut, lose, nothingFound } from '../reading/found.ts'
import { readTime } from '../reading/values.ts'
import { type NoteFile, readFolder } from './notes/folder.ts'
import { readFrontMatter } from './notes/front-matter.ts'
import { createResolver, hashtags, type Link, linksIn, withoutCode } from './notes/links.ts'

type Note = ReturnType<typeof readNote>

/**
 * A folder of basic-memory, or a vault of Obsidian: a note becomes a memory, its relations and links connections, its tags
 * tags, its other properties metadata.
 */
export async function readNotes(folder: string): Promise<ImportSource> {
  const found = nothingFound(`Markdown files in ${folder}`)
  const files = await readFolder(folder, found)
  const notes = files.flatMap(file => {
    try {
      return [readNote(file)]
    } catch (error) {
      leaveOut(
        found,
        file.path,
        `cannot be read as Markdown: ${error instanceof Error ? error.message : error}`,
      )
      return []
    }
  })
  const resolve = createResolver(notes)
  for (const note of notes) {
    addMemory(found, note)
    for (const link of [...linksIn(note.plain), ...linksOfProperties(note)])
      addLink(found, note, link, resolve)
  }
  return found
}

function readNote(file: NoteFile) {
  const matter = readFrontMatter(file.text)
  const title = matter.title ?? basename(file.path).replace(/\.md$/i, '')
  const content = matter.body.startsWith('# ') ? matter.body : `# ${title}\n\n${matter.body}`.trimEnd()
  return { ...file, ...matter, title, content, plain: withoutCode(content) }
}

function addMemory(found: ImportSource, note: Note) {
  if (note.fault !== undefined)
    lose(found, `${note.path}: its properties are no YAML (${note.fault}); they stay in the text`)
  found.memories.push({
    key: note.path,
    place: note.path,
    content: note.content,
    tags: [...note.tags, ...hashtags(note.plain)],
    source: note.path,
    metadata: note.metadata,
    createdAt: readTime(note.created) ?? note.changed,
    updatedAt: readTime(note.modified) ?? note.changed,
  })
  const categories = note.plain.match(/^[^\S\n]*[-*] \[[^\]\n]{2,}\] /gm) ?? []
  lose(found, 'the category of an observation as a field: it stays in the text', categories.length)
}

/** Obsidian has links in properties too. */
const linksOfProperties = ({ metadata }: Note): Link[] =>
  Object.values(metadata)
    .flat()
    .flatMap(value => (typeof value === 'string' ? linksIn(value) : []))

function addLink(found: ImportSource, note: Note, link: Link, resolve: ReturnType<typeof createResolver>) {
  const target = resolve(note.path, link)
  if (target !== undefined)
    found.connections.push({ ...link, source: note.path, target, place: note.path, createdAt: note.changed })
  else if (/\.[a-z0-9]{2,5}$/i.test(link.target))
    lose(found, `${note.path}: the file “${link.target}”, which is no note`)
  else lose(found, `${note.path}: the link to “${link.target}”, which leads to no note; it stays in the text`)
}
