import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { addFound } from '../../integrations/importers/bundle.ts'
import { importers } from '../../integrations/importers/index.ts'
import type { ImportSource } from '../../integrations/reading/found.ts'
import { decode } from '../../integrations/reading/text.ts'
import { readTranscript } from '../../integrations/transcripts/read.ts'
import { readLines } from '../../src/cli/bundle/lines.ts'
import { makeBundle } from '../../src/cli/bundle/make.ts'
import { verifyBundle } from '../../src/cli/bundle/verify.ts'
import { describeFailure } from '../../src/cli/shell/failures.ts'
import { bundleLines, memoryLine } from '../../tools/bundle-lines.ts'
import { seededRandom } from '../../tools/seeded-random.ts'
import { folderOf } from '../support/cli.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { freshTenant, withService } from '../support/service.ts'

/** `npm run fuzz:importers` damages 5,000 files. */
const FILES = Number(process.env.MNEMOGRAPH_TEST_FILES ?? 400)
const SEED = Number(process.env.MNEMOGRAPH_TEST_SEED ?? 20_261_126)
const WHOLE_COMMANDS = 12

const fixtures = join(import.meta.dirname, '..', 'fixtures', 'imports')
const service = withService()
const random = seededRandom(SEED)
const below = (count: number) => Math.floor(random() * count)
const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item

type Source = { kind: string; path: string; files: string[] }

const sources: Source[] = [
  ...['mem0', 'server-memory'].flatMap(kind =>
    readdirSync(join(fixtures, kind)).map(file => ({ kind, path: join(fixtures, kind, file), files: [''] })),
  ),
  ...readdirSync(join(fixtures, 'notes')).map(name => {
    const path = join(fixtures, 'notes', name)
    const entries = readdirSync(path, { recursive: true, encoding: 'utf8' })
    return { kind: 'obsidian', path, files: entries.filter(each => /^[^.].*[^r]\.md$/.test(each)) }
  }),
].filter(({ files }) => files.length > 0)

const TOKENS = [
  'null',
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\\',
  '\0',
  '\n',
  '\r\n',
  '\uFEFF',
  '---\n',
  '1e400',
  '-',
  '[[',
  '#',
  '`',
  '```\n',
  '{}',
  '""',
  '\\ud800',
  '__proto__',
  ' ',
]

/** One way in which a file goes wrong. */
const damages: ((bytes: Buffer) => Buffer)[] = [
  bytes => overwrite(bytes, below(256), below(4) + 1),
  bytes => cutOut(bytes, below(40) + 1),
  bytes => cutOut(bytes, below(bytes.length || 1)),
  bytes => bytes.subarray(0, below(bytes.length || 1)),
  bytes => insert(bytes, Buffer.from(pick(TOKENS))),
  bytes => insert(bytes, Buffer.from(Array.from({ length: below(8) + 1 }, () => below(256)))),
  bytes => insert(bytes, bytes.subarray(below(bytes.length || 1))),
  bytes => Buffer.from(bytes.toString('utf8').replaceAll('\n', '\r\n')),
  bytes => Buffer.from(`\uFEFF${bytes.toString('utf8')}`),
  bytes => Buffer.from(`\uFEFF${bytes.toString('utf8')}`, 'utf16le'),
  bytes =>
    withValue(
      bytes,
      pick(['null', '-1', '1e400', '""', '[]', '{}', 'true', '"x"', '[[[[1]]]]', '1795000000']),
    ),
]

const insert = (bytes: Buffer, more: Buffer) => {
  const at = below(bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)])
}

function overwrite(bytes: Buffer, value: number, length: number): Buffer {
  const at = below(bytes.length + 1)
  return bytes.fill(value, at, Math.min(at + length, bytes.length))
}

function cutOut(bytes: Buffer, length: number): Buffer {
  const at = below(bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
}

/** Puts another value in the place of one. */
function withValue(bytes: Buffer, value: string): Buffer {
  const text = bytes.toString('utf8')
  const places = [...text.matchAll(/(?<=[:[,] ?)("(?:[^"\\]|\\.)*"|-?\d[\d.]*|null)(?!\s*:)/g)]
  if (places.length === 0) return insert(bytes, Buffer.from(value))
  const { index, 0: old } = pick(places)
  return Buffer.from(text.slice(0, index) + value + text.slice(index + old.length))
}

const damaged = (bytes: Buffer): Buffer =>
  Array.from({ length: 1 + below(3) }, () => pick(damages)).reduce(
    (each, damage) => damage(Buffer.from(each)),
    bytes,
  )

type Read = { contents: string; reports: Set<string> }

/** What would be imported and what would be reported, or how the command would fail. */
async function read({ kind }: Pick<Source, 'kind'>, path: string): Promise<Read | { failure: string }> {
  const access = {
    username: '',
    secret: '',
    group: undefined,
    database: '',
    signal: new AbortController().signal,
  }
  try {
    const found = (await importers.get(kind)?.(path, access)) as ImportSource
    const options = { tenant: 'fuzz', source: kind, policy: 'long_term' }
    const lines = makeBundle(add => addFound(found, options, add))
    const memories = lines.map(line => JSON.parse(line)).filter(({ section }) => section === 'memories')
    expect(memories.length).toBeGreaterThan(0)
    return {
      contents: memories.map(({ content }) => content).join('\n'),
      reports: new Set([
        ...found.leftOut.map(({ place, reason }) => `${place}: ${reason}`),
        ...Array.from(found.losses, ([what, times]) => `${times} × ${what}`),
      ]),
    }
  } catch (error) {
    const { code, lines } = describeFailure(error, false)
    expect({ code, lines: lines.join('\n') }).toEqual({
      code: 65,
      lines: expect.not.stringMatching(/\n\s+at /),
    })
    return { failure: lines.join('\n') }
  }
}

/** A copy of a source with one damaged file. */
function damage({ path, files }: Source, into: string): { path: string; bytes: Buffer } {
  const file = pick(files)
  rmSync(into, { recursive: true, force: true })
  mkdirSync(dirname(into), { recursive: true })
  cpSync(path, into, { recursive: true })
  const bytes = damaged(readFileSync(join(path, file)))
  writeFileSync(join(into, file), bytes)
  return { path: into, bytes }
}

/** The lines of the undamaged contents that stand in the damaged file too, as a text or in JSON. */
const stillThere = (contents: string, bytes: Buffer) => {
  const text = bytes.toString('utf8')
  return contents
    .split('\n')
    .filter(line => line.length > 5 && !/^(# |.* \()/.test(line))
    .filter(line => text.includes(line) || text.includes(JSON.stringify(line).slice(1, -1)))
}

test('whatever is wrong with a file, no entry is lost without a word, and nothing imported is a failure', {
  timeout: 20 * FILES + 120_000,
}, async () => {
  const into = join(folderOf({}), 'source')
  const whole = new Map<Source, Read | { failure: string }>()
  for (const source of sources) whole.set(source, await read(source, source.path))
  for (let run = 0; run < FILES; run++) {
    const source = pick(sources)
    const { bytes } = damage(source, into)
    const before = whole.get(source)
    const after = await read(source, into)
    if (!before || 'failure' in before || 'failure' in after) continue
    const lost = stillThere(before.contents, bytes).filter(line => !after.contents.includes(line))
    const reports = [...after.reports].filter(each => !before.reports.has(each))
    const story = `seed ${SEED}, run ${run}: ${source.path}\n${bytes.toString('utf8').slice(0, 3_000)}`
    if (lost.length > 0) expect(reports, `${story}\nlost: ${lost.join(' | ')}`).not.toEqual([])
  }
})

const conversations = join(import.meta.dirname, '..', 'fixtures', 'conversations')
const transcripts = readdirSync(conversations, { recursive: true, encoding: 'utf8' })
  .filter(name => /\.jsonl?$/.test(name))
  .toSorted()
  .map(name => join(conversations, name))

/** What was said in a file, or how the command would fail. */
async function saidIn(path: string): Promise<string[] | { failure: string }> {
  try {
    return ((await readTranscript(path))?.turns ?? []).map(({ text }) => text)
  } catch (error) {
    const { code, lines } = describeFailure(error, false)
    expect(code).toBe(65)
    return { failure: lines.join('\n') }
  }
}

test('whatever is wrong with a transcript or an export, it is read or refused, and what stands in whole lines is read', async () => {
  const folder = folderOf({})
  for (let run = 0; run < FILES / 4; run++) {
    const path = pick(transcripts)
    const before = await saidIn(path)
    const bytes = damaged(readFileSync(path))
    const file = join(folder, basename(path))
    writeFileSync(file, bytes)
    const after = await saidIn(file)
    if ('failure' in before || 'failure' in after || !path.includes('claude-code')) continue
    const whole = new Set(decode(bytes).split(/\r?\n/))
    const lines = readFileSync(path, 'utf8').split('\n')
    const expected = before.filter(text =>
      lines.some(
        line =>
          whole.has(line) &&
          line.includes(JSON.stringify(text).slice(1, -1)) &&
          / "(user|assistant)",/.test(line),
      ),
    )
    expect(after, `seed ${SEED}, run ${run}: ${path}`).toEqual(expect.arrayContaining(expected))
  }
})

test('whatever is wrong with a bundle, it is refused by its line, or it is whole', async () => {
  const file = join(folderOf({}), 'bundle.ndjson')
  const lines = bundleLines(Array.from({ length: 5 }, (_, at) => memoryLine({ content: `memory ${at}` })))
  for (let run = 0; run < FILES / 4; run++) {
    writeFileSync(file, damaged(Buffer.from(`${lines.join('\n')}\n`)))
    try {
      const { sums } = await verifyBundle(readLines(file, { repair: random() < 0.5 }))
      expect(sums.memories.count).toBe(5)
    } catch (error) {
      const { code, lines: said } = describeFailure(error, false)
      expect({ code, said: said.join('\n') }).toEqual({ code: 65, said: expect.stringMatching(/^Line \d+/) })
    }
  }
})

test('the whole command never ends with a stack trace, or with success and nothing imported', async () => {
  const into = join(folderOf({}), 'source')
  for (let run = 0; run < WHOLE_COMMANDS; run++) {
    const source = pick(sources)
    const { path } = damage(source, into)
    const words = ['import', '--from', source.kind, path, '--json']
    const { code, out, err } = await runInProcess(words, { service, tenant: freshTenant() })
    expect([0, 65]).toContain(code)
    expect(err).not.toMatch(/\n\s+at /)
    if (code === 0) expect(JSON.parse(out).totals.memories.created).toBeGreaterThan(0)
  }
})
