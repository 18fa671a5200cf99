import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { edited } from '../../src/cli/memories/edit.ts'
import { commandSections } from '../../src/cli/sections.ts'
import { entriesOf } from '../../src/cli/shell/program.ts'
import type { Memory } from '../../src/contract/memory.ts'
import { folderOf, mnemograph, mnemographProcess, startMnemograph } from '../support/cli.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()
const run = (...words: string[]) => runInProcess(words, { service })
const NO_ID = '01a20fd7-9383-7200-98b6-dec6ba2db832'
let cat: Memory
let dog: Memory
beforeAll(async () => {
  cat = await service.client.createMemory(
    someMemory({ content: 'A cat sleeps on the sofa', tags: ['pet'], source: 'diary', session_id: 's1' }),
  )
  dog = await service.client.createMemory(someMemory({ content: 'A dog barks at the cat', tags: ['pet'] }))
})

/** The id that `add` prints. */
const added = async (...words: string[]) => (await run('add', ...words)).out.trim()
const memoryOf = (id: string) => service.client.getMemory({ id, record_recall: false })

test('add stores the words, a file, or standard input, with its fields', async () => {
  const id = await added('a note', '-t', 'one,two', '-i', '0.9', '--meta', 'page=3', '--meta', 'draft=true')
  expect(await memoryOf(id)).toMatchObject({
    content: 'a note',
    policy: 'long_term',
    tags: ['one', 'two'],
    importance: 0.9,
    metadata: { page: 3, draft: true },
  })
  const folder = folderOf({ 'note.md': '# From a file\n' })
  expect((await memoryOf(await added('--file', `${folder}/note.md`))).content).toBe('# From a file')
  const piped = await mnemographProcess(['add', '--on-duplicate', 'return'], {
    service,
    input: 'from a pipe\n',
  })
  const again = await mnemographProcess(['add', '--on-duplicate', 'return'], {
    service,
    input: 'from a pipe\n',
  })
  expect(piped).toMatchObject({ code: 0, err: 'Stored as long_term.\n' })
  expect(again.out).toBe(piped.out)
  expect((await memoryOf(piped.out.trim())).content).toBe('from a pipe')
})

test('edit changes what is given, in the version that it read', async () => {
  const id = await added('a draft')
  expect((await run('edit', id, '--text', 'a text', '--importance', '1')).err).toBe(
    `Changed ${id}: version 2.\n`,
  )
  expect(await memoryOf(id)).toMatchObject({ content: 'a text', importance: 1 })
  expect((await run('history', id)).out).toMatch(
    /VERSION .*\n2 .*content, importance +a text\n1 .* a draft\n$/,
  )
  expect((await run('revert', id, '1')).err).toContain('as version 3')
  expect((await memoryOf(id)).content).toBe('a draft')
})

test('edit clears what it names', async () => {
  const { id } = await service.client.createMemory(
    someMemory({ tags: ['pet'], session_id: 's', speaker: 'Ada', valid_from: '2026-01-01T00:00:00Z' }),
  )
  await run('edit', id, '--clear', 'tags,session,speaker,valid-from')
  expect(await memoryOf(id)).toMatchObject({
    ...{ tags: [], session_id: null, speaker: null, valid_from: null, version: 2 },
  })
})

test('the editor gets the text, and what it leaves is the new one', async () => {
  expect(await edited('a cat\n', { EDITOR: 'sed -i s/cat/dog/' })).toBe('a dog')
  await expect(edited('a cat', { VISUAL: 'false' })).rejects.toThrow(
    'false did not end well: nothing was changed',
  )
  expect(await run('edit', cat.id)).toMatchObject({
    code: 64,
    err: expect.stringContaining('Say what to change'),
  })
})

test('archive, restore and delete say what they did, and delete asks for --yes', async () => {
  const [one, two] = [await added('one to archive'), await added('two to archive')]
  expect((await run('archive', one, two)).err).toContain(`Archived ${two}. Take it back: mnemograph restore`)
  expect((await run('list', '--state', 'archived')).out).toContain(one)
  expect((await run('restore', one)).err).toBe(`${one} is active.\n`)
  expect(await run('delete', one)).toMatchObject({ code: 64, err: expect.stringContaining('--yes') })
  expect((await run('delete', one, two, '--yes')).err).toBe(`Removed ${one}.\nRemoved ${two}.\n`)
  expect(await run('show', one)).toMatchObject({ code: 1 })
})

test('list and show name memories, and say when one fades', async () => {
  const { out } = await run('list', '--source', 'diary')
  expect(out).toMatch(
    new RegExp(`^ID +POLICY +HEALTH +SAID +CONTENT\n${cat.id} .* A cat sleeps on the sofa\n$`),
  )
  const short = await added('soon gone', '--policy', 'short_term')
  expect((await run('get', short)).out).toMatch(/health +100, fades on \d{4}-.* if nobody recalls it/)
  const page = await run('list', '--limit', '1')
  const [, cursor = ''] = /--cursor (\S+)/.exec(page.err) ?? []
  expect((await run('list', '--limit', '1', '--cursor', cursor)).out).not.toBe(page.out)
})

test('tags, sources and sessions are counted', async () => {
  expect((await run('tags', 'pet')).out).toBe('COUNT  VALUE\n2      pet\n')
  expect((await run('sources')).out).toContain('1      diary\n')
  expect((await run('sessions')).out).toBe('COUNT  VALUE\n1      s1\n')
})

test('two memories are connected, explained and disconnected', async () => {
  const ends = [cat.id, dog.id]
  expect((await run('connect', ...ends, '--type', 'supports', '--strength', '0.5')).err).toBe(
    `Connected: ${cat.id} supports ${dog.id}.\n`,
  )
  expect((await run('path', ...ends)).out).toContain('0.500, 1 connections\n  A cat sleeps on the sofa\n')
  expect((await run('path', ...ends)).out).toContain('    ↓ supports 0.500, asserted\n')
  expect((await run('disconnect', ...ends)).err).toBe('Removed 1 connections.\n')
  expect((await run('path', ...ends)).err).toBe('There is no path between them.\n')
})

test('context and search find, page and explain', async () => {
  const { out, err } = await run('context', 'where does the cat sleep?', '--tags', 'pet')
  expect(out).toContain('A cat sleeps on the sofa')
  expect(err).toMatch(/2 memories, about \d+ tokens; 0 did not fit/)
  const first = await run('search', 'cat', '--type', 'keyword', '-n', '1')
  const [, cursor = ''] = /--cursor (\S+)/.exec(first.err) ?? []
  const second = await run('search', 'cat', '--type', 'keyword', '-n', '1', '--cursor', cursor)
  expect(second.out).not.toBe(first.out)
})

test('a policy is defined, listed, used and deleted', async () => {
  expect((await run('policies', 'define', 'meeting_notes', '--health-decay', '2')).err).toBe(
    'Defined meeting_notes.\n',
  )
  expect((await run('policies', 'list')).out).toMatch(/^NAME .*\n(.*\n)*meeting_notes +no +2 /)
  expect((await memoryOf(await added('minutes', '--policy', 'meeting_notes'))).policy).toBe('meeting_notes')
  expect((await run('policies', 'delete', 'meeting_notes')).code).toBe(1)
  await run('policies', 'define', 'unused')
  expect((await run('policies', 'delete', 'unused')).err).toBe('Deleted unused.\n')
})

test('embedding spaces are listed and compared, and the active one is not deleted', async () => {
  const { out } = await run('spaces', 'list')
  const [, active = ''] = /\n(\S+) +active /.exec(out) ?? []
  expect((await run('spaces', 'compare', active)).out).toMatch(/^sample +\d+\nnearest +10\noverlap +/)
  expect(await run('spaces', 'delete', active)).toMatchObject({ code: 64 })
  expect(await run('spaces', 'delete', active, '--yes')).toMatchObject({ code: 1 })
})

test('the graph is exported to a file, as it held at a time', async () => {
  const file = `${folderOf({})}/memories.graphml`
  expect((await run('graph', 'export', file, '--valid-at', 'now')).err).toBe(
    `Exported the graph to ${file}\n`,
  )
  expect(readFileSync(file, 'utf8')).toMatch(/^<\?xml /)
  expect(readFileSync(file, 'utf8')).toContain('>A cat sleeps on the sofa</data>')
  expect(await run('graph', 'export', file, '--format', 'pdf')).toMatchObject({ code: 64 })
})

test('a list, a search and a walk take the time at which memories hold', async () => {
  const id = await added('the office was in Antwerp', '--valid-until', '2020-01-01', '--kind', 'fact')
  await run('connect', id, cat.id)
  expect((await run('list', '--kind', 'fact', '--valid-at', 'now')).err).toBe('No memories.\n')
  expect((await run('list', '--kind', 'fact', '--valid-at', '2019-01-01')).out).toContain(id)
  expect((await run('related', cat.id, '--valid-at', 'now')).out).not.toContain(id)
  expect((await run('related', cat.id, '--valid-at', '2019-01-01')).out).toContain(id)
  expect((await run('connections', '--source-id', id)).out).toContain(`${id}  related_to`)
  await run('disconnect', id, cat.id)
})

test('conflicts are listed and resolved', async () => {
  const [old, now] = [await added('the office is in Ghent'), await added('the office is in Bruges')]
  await run('connect', now, old, '--type', 'contradicts')
  expect((await run('conflicts', 'list')).out).toContain(`the office is in Bruges\n  ${now} `)
  expect((await run('conflicts', 'resolve', now, old, '--reason', 'moved')).err).toBe(
    `${now} stays, ${old} is archived.\n`,
  )
  expect(await memoryOf(old)).toMatchObject({ state: 'archived', archived_reason: 'superseded' })
})

test('forget shows a plan first, applies it, and can be undone', async () => {
  const id = await added('to forget', '--source', 'old-wiki')
  const preview = await run('forget', '--source', 'old-wiki')
  expect(preview.err).toMatch(
    /It would archive 1 memories. Do it within a day: mnemograph maintain apply \S+\n/,
  )
  expect((await memoryOf(id)).state).toBe('active')
  const { err } = await run('forget', '--source', 'old-wiki', '--apply')
  expect((await memoryOf(id)).state).toBe('archived')
  const [, plan = ''] = /maintain undo (\S+)/.exec(err) ?? []
  expect((await run('maintain', 'undo', plan)).out).toBe('Undid 1 changes\n')
  expect(await run('forget')).toMatchObject({ code: 1, err: expect.stringContaining('at least one filter') })
})

test('erase counts, removes and prints a receipt', async () => {
  await added('personal', '--source', 'crm:1')
  expect((await run('erase', '--source', 'crm:1')).code).toBe(64)
  expect((await run('erase', '--source', 'crm:1', '--dry-run')).err).toContain('would remove 1 memories')
  const { out, err } = await run('erase', '--source', 'crm:1', '--yes')
  expect(out.trim()).toMatch(/^[0-9a-f-]{36}$/)
  expect(err).toContain('Nothing is left of them.')
})

test('stats counts, and changes are listed and followed', async () => {
  expect((await run('stats')).out).toMatch(/^memories +\d+ active/)
  expect((await run('changes', '--kinds', 'created')).out).toMatch(
    new RegExp(`^[\\d-]+ [\\d:]+  created +${cat.id}\n`),
  )
  const following = startMnemograph(['changes', '--follow', '--json'], { service })
  const lines = following.stdout?.setEncoding('utf8')[Symbol.asyncIterator]()
  // It starts at what is written after it has connected: so it is written until one arrives.
  let arrived: string | undefined
  const writing = (async () => {
    while (arrived === undefined) await service.client.createMemory(someMemory({ content: 'a new one' }))
  })()
  arrived = (await lines?.next())?.value
  await writing
  following.kill('SIGINT')
  expect(JSON.parse((arrived ?? '').split('\n')[0] ?? '')).toMatchObject({ kind: 'created', version: 1 })
})

describe('every command', () => {
  const entries = entriesOf(commandSections)
  const names = Object.entries(entries).flatMap(([name, entry]) =>
    'actions' in entry ? Object.keys(entry.actions).map(action => [name, action]) : [[name]],
  )

  test.each(names.map(words => [words.join(' '), words] as const))(
    '%s has a help with an example',
    async (_, words) => {
      const { code, out } = await runInProcess([...words, '--help'], { width: 60 })
      expect(code).toBe(0)
      expect(out).toContain(`Usage: mnemograph ${words.join(' ')}`)
      expect(out).toMatch(/Examples:\n {2}mnemograph /)
      const described = out.split('Examples:')[0] ?? ''
      expect(described.split('\n').filter(line => line.length > 60 && / {2}/.test(line.trim()))).toEqual([])
    },
  )

  test.each(
    names
      .filter(([name]) => !['start', 'demo', 'cypher', 'doctor', 'migrate'].includes(name ?? ''))
      .map(words => [words.join(' '), words] as const),
  )('%s refuses an option that it does not know', async (_, words) => {
    const { code, err, out } = await runInProcess([...words, '--jsno'])
    expect({ code, out }).toEqual({ code: 64, out: '' })
    expect(err).toContain("Unknown option '--jsno'")
  })

  test.each([
    ['show', NO_ID],
    ['edit', NO_ID, '--text', 'x'],
    ['history', NO_ID],
    ['revert', NO_ID, '2'],
    ['archive', NO_ID],
    ['restore', NO_ID],
    ['delete', NO_ID, '--yes'],
    ['related', NO_ID],
    ['path', NO_ID, '01a20fd7-9383-7200-98b6-dec6ba2db833'],
    ['connect', NO_ID, '01a20fd7-9383-7200-98b6-dec6ba2db833'],
    ['disconnect', NO_ID, '01a20fd7-9383-7200-98b6-dec6ba2db833'],
    ['conflicts', 'resolve', NO_ID, '01a20fd7-9383-7200-98b6-dec6ba2db833'],
    ['maintain', 'apply', NO_ID],
    ['maintain', 'undo', NO_ID],
    ['maintain', 'show', NO_ID],
    ['jobs', 'retry', 'none'],
    ['keys', 'revoke', NO_ID],
    ['webhooks', 'remove', NO_ID],
    ['webhooks', 'deliveries', NO_ID],
    ['webhooks', 'redeliver', NO_ID],
    ['webhooks', 'add', 'http://127.0.0.1/'],
  ])('%s %s: what is not there is refused', async (...words) => {
    const { code, out, err } = await run(...words)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/\w+\.\n$/)
  })

  test.each([
    ['list', '--json'],
    ['tags', '--json'],
    ['sources', '--json'],
    ['sessions', '--json'],
    ['stats', '--json'],
    ['conflicts', 'list', '--json'],
    ['maintain', 'plan', '--kind', 'merge', '--json'],
    ['maintain', 'runs', '--json'],
    ['jobs', 'list', '--json'],
    ['keys', 'list', '--json'],
    ['webhooks', 'list', '--json'],
    ['policies', 'list', '--json'],
    ['insights', '--json'],
    ['connections', '--json'],
    ['context', 'cat', '--json'],
    ['search', 'cat', '--json'],
  ])('%s %s prints JSON', async (...words) => {
    const { code, out } = await run(...words)
    expect(code).toBe(0)
    expect(JSON.parse(out)).toBeTypeOf('object')
  })

  test.each([
    ['list'],
    ['keys', 'list'],
    ['tenants', 'list'],
    ['webhooks', 'list'],
    ['jobs', 'list'],
    ['maintain', 'runs'],
    ['policies', 'list'],
    ['spaces', 'list'],
    ['connections'],
  ])('%s %s fits a narrow terminal', async (...words) => {
    const { out } = await runInProcess(words, { service, width: 60 })
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(60)
  })
})

test('an error is JSON where the answer would be', async () => {
  const { code, out, err } = await mnemograph(['show', NO_ID, '--json'], { service })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(JSON.parse(err).error).toMatchObject({
    exit_code: 1,
    problem: { code: 'memory_not_found', status: 404 },
  })
})

test.each(['bash', 'zsh', 'fish'])('the completion for %s names each command', async shell => {
  const { out } = await runInProcess(['completion', shell])
  for (const name of Object.keys(entriesOf(commandSections))) expect(out).toContain(name)
})

test('bash completes commands and options', async () => {
  const { out } = await runInProcess(['completion', 'bash'])
  const complete = (...words: string[]) =>
    execFileSync(
      'bash',
      [
        '-c',
        `${out}\nCOMP_WORDS=(mnemograph ${words.join(' ')}); COMP_CWORD=${words.length}; _mnemograph mnemograph "${words.at(-1)}"; echo "\${COMPREPLY[@]}"`,
      ],
      { encoding: 'utf8' },
    ).trim()
  expect(complete('sea')).toBe('search')
  expect(complete('add', '--imp')).toBe('--importance')
  expect(complete('keys', 're')).toBe('revoke')
})
