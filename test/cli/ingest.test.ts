import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { folderOf, mnemograph, startMnemograph, writeInto } from '../support/cli.ts'
import { withService } from '../support/service.ts'

const service = withService({ settings: { SERVICE_EMBEDDING_WRITE_WAIT_MS: '20000' } })

const long = (word: string) => `${word} `.repeat(60).trim()
const section = (name: string, body = long(name.toLowerCase())) => `## ${name}\n\n${body}\n\n`

/** Runs ingest on a folder and answers its figures. */
async function ingest(...words: string[]) {
  const { code, out, err } = await mnemograph(['ingest', ...words, '--json'], { service })
  // A busy machine shows how far it is.
  const said = err.replaceAll(/^\d+ of \d+ files.*\n/gm, '')
  expect({ code, said }).toEqual({ code: 0, said: '' })
  return JSON.parse(out) as Record<string, unknown>
}

async function stored(tag: string) {
  const { memories } = await service.client.listMemories({ tags: [tag], limit: 200, order: 'asc' })
  return memories
}

test('a folder becomes one memory for each section, tagged by its path', async () => {
  const folder = folderOf({
    'kitchen/bread, rye.md': `# Bread\n\n${section('Flour')}${section('Oven')}`,
    'notes.txt': 'A note',
    'picture.png': 'none',
    '.hidden/secret.md': '# Secret',
    'node_modules/pack/README.md': '# Pack',
  })
  expect(await ingest(folder, '--tags', 'food,first')).toMatchObject({ files: 2, created: 3 })
  const memories = await stored('first')
  expect(memories.map(({ content }) => content.split('\n')[0]).sort()).toEqual([
    'Bread › Flour',
    'Bread › Oven',
    'notes',
  ])
  const oven = memories.find(({ content }) => content.startsWith('Bread › Oven'))
  expect(oven?.tags).toEqual(expect.arrayContaining(['food', 'first', 'kitchen', 'bread  rye']))
  expect(oven).toMatchObject({ policy: 'pinned', ttl_seconds: 0 })
})

test('with a time limit the memories of files are long_term, and a policy that is named is kept', async () => {
  await ingest(folderOf({ 'limited.txt': 'A limited note' }), '--tags', 'limited', '--ttl-seconds', '3600')
  expect(await stored('limited')).toMatchObject([{ policy: 'long_term', ttl_seconds: 3600 }])
  await ingest(folderOf({ 'named.txt': 'A named note' }), '--tags', 'named', '--policy', 'short_term')
  expect(await stored('named')).toMatchObject([{ policy: 'short_term', ttl_seconds: 0 }])
})

test('loading again makes nothing twice, and what changed is changed', async () => {
  const folder = folderOf({ 'second.md': `# Second\n\n${section('Old')}${section('Same')}` })
  expect(await ingest(folder)).toMatchObject({ created: 2, updated: 0, unchanged: 0 })
  const before = await stored('second')
  expect(await ingest(folder)).toMatchObject({ created: 0, updated: 0, unchanged: 2 })
  expect(await stored('second')).toEqual(before)

  writeInto(folder, {
    'second.md': `# Second\n\n${section('Old', long('newer'))}${section('Same')}${section('Fresh')}`,
  })
  expect(await ingest(folder)).toMatchObject({ created: 1, updated: 1, unchanged: 1 })
  const after = await stored('second')
  expect(after.map(({ id }) => id).slice(0, 2)).toEqual(before.map(({ id }) => id))
  expect(after.find(({ content }) => content.startsWith('Second › Old'))?.content).toContain('newer')
  expect(await ingest(folder)).toMatchObject({ created: 0, updated: 0, unchanged: 3 })
})

test('a text that goes back to what it was is followed', async () => {
  const folder = folderOf({ 'swing.md': section('One') })
  await ingest(folder)
  for (const name of ['Two', 'One']) {
    writeInto(folder, { 'swing.md': section(name) })
    expect(await ingest(folder, '--prune')).toMatchObject({ created: 1, archived: 1 })
    expect((await stored('swing')).map(({ content }) => content)).toEqual([
      `swing › ${name}\n\n${long(name.toLowerCase())}`,
    ])
  }
})

test('what is gone from the files stays until it is pruned', async () => {
  const folder = folderOf({
    'third.md': `# Third\n\n${section('Stays')}${section('Goes')}`,
    'lost.md': section('Lost'),
  })
  await ingest(folder, '--tags', 'third-run')
  writeInto(folder, { 'third.md': `# Third\n\n${section('Stays')}` })
  rmSync(join(folder, 'lost.md'))
  expect(await ingest(folder)).toMatchObject({ left: 2, archived: 0 })
  expect(await stored('third-run')).toHaveLength(3)
  expect(await ingest(folder, '--prune', '--dry-run')).toMatchObject({ archived: 2 })
  expect(await stored('third-run')).toHaveLength(3)
  expect(await ingest(folder, '--prune')).toMatchObject({ archived: 2 })
  expect((await stored('third-run')).map(({ content }) => content.split('\n')[0])).toEqual(['Third › Stays'])
})

test.each<[string, string[]]>([
  ['known by its path', []],
  ['known by a name', ['--source', 'emptied']],
])('a folder that has become empty, %s, is pruned', async (how, more) => {
  const folder = folderOf({ 'only.md': section('Only') })
  const tag = `emptied-${more.length}`
  await ingest(folder, '--tags', tag, ...more)
  rmSync(join(folder, 'only.md'))
  expect(await ingest(folder, '--prune', '--dry-run', ...more), how).toMatchObject({ files: 0, archived: 1 })
  expect(await ingest(folder, '--prune', ...more)).toMatchObject({ files: 0, archived: 1 })
  expect(await stored(tag)).toEqual([])
})

test('a folder that has become empty, or has other files alone, is pruned beside one with files', async () => {
  const [empty, other, full] = ['one', 'two', 'three'].map(name =>
    folderOf({ [`${name}.md`]: section(name) }),
  )
  await ingest(empty as string, other as string, full as string, '--tags', 'three-folders')
  rmSync(join(empty as string, 'one.md'))
  rmSync(join(other as string, 'two.md'))
  writeInto(other as string, { 'picture.png': 'none' })
  expect(await ingest(empty as string, other as string, full as string)).toMatchObject({
    left: 2,
    archived: 0,
  })
  expect(await ingest(empty as string, other as string, full as string, '--prune')).toMatchObject({
    files: 1,
    archived: 2,
  })
  expect((await stored('three-folders')).map(({ content }) => content.split('\n')[0])).toEqual(['three'])
})

test('an empty folder without --prune, and a folder that is gone, are no input', async () => {
  const folder = folderOf({})
  expect(await mnemograph(['ingest', folder], { service })).toMatchObject({
    code: 66,
    err: 'There are no Markdown or text files.\n',
  })
  rmSync(folder, { recursive: true })
  expect((await mnemograph(['ingest', folder, '--prune'], { service })).code).toBe(64)
})

test('a memory that was removed, or archived by hand, is loaded again or left alone', async () => {
  const folder = folderOf({ 'fourth.md': `# Fourth\n\n${section('Removed')}${section('Archived')}` })
  await ingest(folder)
  for (const { id, content } of await stored('fourth'))
    await service.client.deleteMemory({ id, hard: content.startsWith('Fourth › Removed') })
  expect(await ingest(folder)).toMatchObject({ created: 1, unchanged: 1 })
  expect((await stored('fourth')).map(({ content }) => content.split('\n')[0])).toEqual(['Fourth › Removed'])
})

test('everything that was removed is loaded again', async () => {
  const folder = folderOf({ 'fifth.md': section('All') })
  for (const _ of [1, 2]) {
    expect(await ingest(folder)).toMatchObject({ created: 1 })
    for (const { id } of await stored('fifth')) await service.client.deleteMemory({ id, hard: true })
  }
})

test('a source has the same memories wherever its folder stands', async () => {
  const files = { 'sixth.md': section('Text') }
  expect(await ingest(folderOf(files), '--source', 'book')).toMatchObject({ created: 1 })
  expect(await ingest(folderOf(files), '--source', 'book')).toMatchObject({ created: 0, unchanged: 1 })
  expect(await ingest(folderOf(files))).toMatchObject({ created: 1 })
})

test('a run that is killed while its write is in progress is completed by the next, with nothing twice', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `Part ${index}`)
  const folder = folderOf(
    Object.fromEntries(
      names.map(name => [`${name}.md`, `# ${name}\n\n${section('Alpha')}${section('Omega')}`]),
    ),
  )
  const seen = service.embeddings.requests.length
  const release = service.embeddings.hold()
  const killed = startMnemograph(['ingest', folder, '--tags', 'killed'], { service })
  await service.embeddings.arrived(seen + 1)
  killed.kill('SIGKILL')

  const next = startMnemograph(['ingest', folder, '--tags', 'killed'], { service })
  const said = text(next.stderr as Readable)
  await once(next.stderr as Readable, 'data')
  release()
  expect(await said).toMatch(/still running.*Loaded 12 files: 24 memories new/s)
  const memories = await stored('killed')
  expect(memories).toHaveLength(24)
  expect(new Set(memories.map(({ content }) => content.slice(0, 20))).size).toBe(24)
})
