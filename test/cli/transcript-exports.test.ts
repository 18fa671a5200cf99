import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runInProcess } from '../support/in-process-cli.ts'
import { freshTenant, withService } from '../support/service.ts'

const folders = join(import.meta.dirname, '..', 'fixtures', 'conversations')

const service = withService()

/** What a tenant of its own has after a folder was loaded, and what the command says. */
async function loaded(...names: string[]) {
  const tenant = freshTenant()
  const paths = names.map(name => join(folders, name))
  const { code, out } = await runInProcess(['ingest', '--transcript', ...paths, '--json'], {
    service,
    tenant,
  })
  const { damaged, ...counts } = JSON.parse(out)
  const { memories } = await service.clientOf(tenant).listMemories({ limit: 200 })
  return {
    code,
    counts,
    leftOut: damaged.map((line: string) => line.replaceAll(`${folders}/`, '')),
    turns: memories
      .toSorted((a, b) => String(a.valid_from).localeCompare(String(b.valid_from)))
      .map(({ speaker, content }) => `${speaker}: ${content}`),
  }
}

test('a folder of Claude Code: what was said is loaded, and what the host wrote is not', async () => {
  expect(await loaded('claude-code')).toEqual({
    code: 0,
    counts: { files: 1, other_files: 7, turns: 5, stored: 5, dry_run: false },
    leftOut: [],
    turns: [
      'user: Deploys need a green load test',
      'assistant: Noted: no deploy without a green load test.',
      'user: Why is the 95th percentile so high?',
      'user: [Image #1] This is the chart of Monday',
      'user: Raise the limit to 250 ms',
    ],
  })
})

test('a folder of Codex: of a prompt the request alone, and nothing of a subagent', async () => {
  expect(await loaded('codex')).toEqual({
    code: 0,
    counts: { files: 1, other_files: 4, turns: 3, stored: 3, dry_run: false },
    leftOut: [],
    turns: [
      'user: Prices are stored in cents',
      'assistant: I will keep all prices in cents.',
      'user: Round half a cent up',
    ],
  })
})

test('an export of ChatGPT: texts and what was spoken, without citation marks, calls of tools and pictures', async () => {
  expect(await loaded('chatgpt')).toEqual({
    code: 0,
    counts: { files: 1, other_files: 6, turns: 6, stored: 6, dry_run: false },
    leftOut: [],
    turns: [
      'user: Where do storks spend the winter?',
      'assistant: Most of them in Chad and Sudan.',
      'user: And which way do they fly?',
      'assistant: Over the Bosporus or over Gibraltar.',
      'user: What bird is this?',
      'assistant: A black stork.',
    ],
  })
})

test('an export of Claude: texts, voice notes and what was pasted', async () => {
  expect(await loaded('claude')).toEqual({
    code: 0,
    counts: { files: 1, other_files: 3, turns: 4, stored: 4, dry_run: false },
    leftOut: [],
    turns: [
      'user: Is this contract fair?\n\nThe rent is due on the third.',
      'assistant: It is fair.',
      'user: Notice period: three months',
      'user: Please draft an answer',
    ],
  })
})

test('an activity of Gemini, in English and in German: prompts and answers; an entry that is not understood is named', async () => {
  expect(await loaded('gemini')).toEqual({
    code: 65,
    counts: { files: 2, other_files: 1, turns: 7, stored: 7, dry_run: false },
    leftOut: [
      'gemini/german/Gemini-Apps/MyActivity.json, entry 3: no prompt can be told from “Feedback gegeben”',
    ],
    turns: [
      'user: Wie lange geht Roggenteig?',
      'user: Und wie backe ich ihn: bei 250 Grad?',
      'assistant: Ja, fallend.',
      'user: How long does rye dough rise?',
      'assistant: About three hours.\nwarm: two',
      'user: What does this picture show?',
      'assistant: A rye bread & a knife.',
    ],
  })
})

test('all of them together, and files that are none: everything is loaded, and those files are named at the end', async () => {
  const { code, counts, leftOut } = await loaded('.')
  expect({ code, counts }).toEqual({
    code: 65,
    counts: { files: 6, other_files: 21, turns: 25, stored: 25, dry_run: false },
  })
  expect(leftOut).toEqual([
    expect.stringMatching(/^downloads\/cut\.json is not JSON: line 2, column \d+$/),
    expect.stringMatching(/^downloads\/shopping list\.json is no transcript of Claude Code or Codex/),
    expect.stringContaining('no prompt can be told'),
  ])
})

test('the last line says how many files hold no conversation', async () => {
  const where = { service, tenant: freshTenant() }
  const path = join(folders, 'claude')
  const { err, code } = await runInProcess(['ingest', '--transcript', path, '--dry-run'], where)
  expect([code, err.trim()]).toEqual([
    0,
    'Would load 4 turns of 1 files. 3 other files hold no conversation.',
  ])
})
