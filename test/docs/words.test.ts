import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Words of an earlier, private vocabulary, with the field's word for each. */
const replaced: Record<string, RegExp> = {
  again: /\banew\b/gi,
  'compute, count': /\breckon\w*/gi,
  'fix, correct': /\bmend(s|ed|ing)?\b/gi,
  'another tenant': /\bstrangers\b/gi,
  'resume, continue': /\b(go|goes|gone) on with\b/gi,
  'available, missing': /\b(is|not) to be had\b/gi,
  'at most': /\bat the most\b/gi,
  'who, the caller': /\bwhoever\b/gi,
  'memory lock': /\bone-at-a-time\b/gi,
  'fair queue': /\bfair line\b/gi,
  'stop words': /\bfunction words\b/gi,
  'raw response': /\bhang-?up\b/gi,
}

const root = join(import.meta.dirname, '../..')
const listed = ['src', 'test', 'bench', 'tools', 'scripts', 'schema', 'docs', 'clients', '*.md']
const others = /\.json$|^test\/fixtures\/|^test\/docs\/words\.test\.ts$/

test('no text uses a word that the vocabulary has replaced', () => {
  const files = execFileSync('git', ['ls-files', '-z', '--', ...listed], { cwd: root, encoding: 'utf8' })
  const found = files
    .split('\0')
    .filter(file => file && !others.test(file))
    .flatMap(file => wordsIn(file, readFileSync(join(root, file), 'utf8')))
  expect(found).toEqual([])
})

const wordsIn = (file: string, text: string) =>
  Object.entries(replaced).flatMap(([use, words]) =>
    Array.from(text.matchAll(words), ([word]) => `${file}: "${word}" (use: ${use})`),
  )
