import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readFrontMatter } from '../../integrations/importers/notes/front-matter.ts'
import { hashtags, linksIn } from '../../integrations/importers/notes/links.ts'
import { cut } from '../../integrations/ingest/sections.ts'
import { nothingFound } from '../../integrations/reading/found.ts'
import { jsonEntriesOf } from '../../integrations/reading/json.ts'
import { readTime } from '../../integrations/reading/values.ts'
import { readClaude } from '../../integrations/transcripts/claude.ts'
import { textOfHtml } from '../../integrations/transcripts/html.ts'
import { personsPart } from '../../integrations/transcripts/persons-part.ts'
import { readLine } from '../../src/contract/bundle-reading.ts'
import { readJson } from '../../src/contract/json.ts'
import { normalize } from '../../src/contract/normalize.ts'
import { divide } from '../../src/platform/embeddings/divide.ts'
import { lexicalWords } from '../../src/platform/embeddings/words.ts'
import { findSecrets, maskSecrets } from '../../src/platform/text/secrets/index.ts'
import { indexedWords, languageIn, phraseForms, queryWords } from '../../src/platform/text/words.ts'
import { suspect } from '../../src/service/connections/suspicion/compare.ts'
import { comparedTokens } from '../../src/service/connections/suspicion/words.ts'
import { beginningOf, estimateTokens } from '../../src/service/graph/context/tokens.ts'
import { inXml } from '../../src/service/graph/export/xml.ts'
import { timeOfQuery } from '../../src/service/search/asked-time.ts'
import { highlightOf } from '../../src/service/search/highlights.ts'
import { readQuery } from '../../src/service/search/words.ts'
import { expressionsIn, repeated, textsAgainst } from './expressions.ts'
import { growsFaster } from './growth.ts'

const NOW = Date.parse('2026-11-28T12:00:00Z')
const words = queryWords('what is hidden here')
const sources = ['src', 'integrations'].map(name => join(import.meta.dirname, '..', '..', name))

test('no regular expression of the code takes more than linear time for repeats of its own beginnings', () => {
  const expressions = sources.flatMap(expressionsIn)
  expect(expressions.length).toBeGreaterThan(80)
  const slow = expressions.flatMap(({ expression, file }) => {
    const everywhere = new RegExp(expression.source, [...new Set([...expression.flags, 'g'])].join(''))
    return textsAgainst(expression)
      .filter(textOf => growsFaster(text => text.replaceAll(everywhere, ''), textOf))
      .map(textOf => `${expression} in ${file}: ${JSON.stringify(textOf(60))}`)
  })
  expect(slow).toEqual([])
})

/** What no word, name or sentence is made of alone, and what many functions look for. */
const COMMON = [
  ...[
    'a',
    'A',
    'aB',
    '0',
    ' ',
    '\n',
    '-',
    '.',
    '_',
    '!',
    '"',
    "'",
    "a'",
    '’',
    '(',
    '[',
    '{',
    '<',
    '&',
    '\\',
    '/',
    '*',
    '#',
  ],
  ...[
    'é',
    'İ',
    'σ',
    '会',
    'ア',
    '\u0e01',
    '\u0301',
    'a\u0301',
    '👩‍👩‍👧‍👦',
    '\u200b',
    '\u00ad',
    'ـ',
    '\ud800',
    'a b',
    'a, ',
    'a. ',
  ],
]

const SECRETS = [
  ...[
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN RSA PRIVATE KEY-----\nMII',
    '-----END PRIVATE KEY-----',
    '-----BEGIN ',
  ],
  ...[
    'PuTTY-User-Key-File-2: ',
    'PuTTY-User-Key-File-2: a Private-Lines: ',
    'Private-MAC: ',
    'AGE-SECRET-KEY-1',
    'AKIA',
    'sk-',
    'sk_live_a',
    'ghp_',
    'eyJaaaaaaaa.',
    'eyJaaaaaaaa.eyJaaaaaaaa.',
  ],
  ...[
    'api_key=',
    'api_key: "',
    'authorization: bearer ',
    'a://b:',
    'a://b:c@',
    '4111 ',
    '4',
    '4111-1111-1111-1111 ',
  ],
  ...[
    'password ',
    'password: ',
    'password of ',
    'password of the router ',
    'password is ',
    'set my password to ',
    'Passwort lautet ',
    'clave ',
    'пароль от ',
    '密码',
    '密码是',
    'mot de passe de l’',
  ],
]
const TIMES = [
  ...[
    'last ',
    'in 2026 ',
    'between March and ',
    'from 1 May to ',
    '12.11.',
    '12.11.2026 ',
    '11月',
    '11月12',
    '昨年',
    'vor 2 ',
    'am 7.',
    "d'hier ",
    '2 weeks ago ',
    'next ',
    'q3 ',
  ],
]
const MARKDOWN = [
  ...[
    '[[',
    '[[a',
    '[[a|',
    '](',
    '](a.md#',
    '](a%20(',
    '- [[',
    '- [a] ',
    '`',
    '```\n',
    '~~~\n',
    '> ',
    '* ',
    '1. ',
    '    ',
    '|',
    '|-|\n',
    '<!--',
    '<a',
    '<a href="',
    '![',
    '[a]: ',
    '# ',
    '---\n',
    'title: ',
    'title: a ',
    '#a',
    '#a/',
    '**',
    '_a',
    '\\',
    'a\n\n',
    '\t\n',
    '&amp',
    '$',
  ],
]
const JSON_TEXTS = [
  '{',
  '[',
  '{"a":',
  '["',
  '"\\',
  '"a",',
  '1,',
  '1e',
  '-',
  '0.',
  '}{',
  '][',
  ',',
  ':',
  '{"a":1}',
  '\u2028',
]

/** The functions that take a text of a caller apart, each with beginnings of its own. */
const functions: readonly (readonly [string, (text: string) => unknown, readonly string[]])[] = [
  ['secrets', text => maskSecrets(text, findSecrets(text)), SECRETS],
  ['times of a query', text => timeOfQuery(text, NOW), TIMES],
  ['words', indexedWords, []],
  ['words of a query', queryWords, []],
  ['language', languageIn, ["l'", "dell'", 'the ', 'le ']],
  ['reading of a query', readQuery, ['"a', '“', '“a', '"a":', '{"a', '[{"', '27" ']],
  ['phrases', phraseForms, []],
  ['highlights', text => highlightOf(text, words), ['hidden ', 'a? ']],
  [
    'normal forms',
    text => ['NFC', 'NFD', 'NFKC'].map(form => normalize(text, form as 'NFC')),
    ['\u0344', '\u0f77', '\ufdfa'],
  ],
  ['lexical words', text => [...lexicalWords(text)], ['aB', 'ABc']],
  ['division', text => divide(text, 4), ['a."', '。']],
  [
    'comparison',
    text => [comparedTokens(text), suspect(text, `${text} not`)],
    ['1,', '1.', '2026-01-', '10:', "n't ", 'a.m', '1 km '],
  ],
  ['tokens', text => [estimateTokens(text), beginningOf(text, 50)], []],
  ['markup of graphs', inXml, ['&', ']]>', '\u0001']],
  ['JSON', readJson, JSON_TEXTS],
  ['lines of bundles', readLine, JSON_TEXTS],
  [
    'damaged JSON',
    text => jsonEntriesOf(text, { lists: ['a'], isEntry: () => true }, nothingFound('entries')),
    ['{ {} ', '[{"a":{}', '{"a":{},', '{"a":1 1', '{"a":1}}', '{"{', '{"\\"', '{\n{}\n', ...JSON_TEXTS],
  ],
  ['times of other tools', readTime, ['2026-', '2026-01-01T', '[', 'a [']],
  ['links of notes', text => [linksIn(text), hashtags(text)], MARKDOWN],
  [
    'front matter',
    readFrontMatter,
    ['---\n', '---\na: ', '- ', '---\n- [', '---\n{', '---\n&a *a ', ...MARKDOWN],
  ],
  ['sections of a text', text => cut({ path: 'a.txt', name: 'a' } as never, text), []],
  ['simple HTML', textOfHtml, ['<p>', '<', '&#', '&#x', '&a', '<br ']],
  [
    'turns of hosts',
    personsPart,
    ['<system-reminder>', '<image></image>', '</image>', '# AGENTS.md instructions '],
  ],
  [
    'messages',
    text =>
      readClaude([
        {
          value: {
            uuid: 'a',
            chat_messages: [{ uuid: 'b', sender: 'human', text, created_at: '2026-01-01T00:00:00Z' }],
          },
          place: 'entry 1',
        },
      ]),
    ['<', '```'],
  ],
]

test.each(functions)('%s take time in proportion to the text', (_, work, beginnings) => {
  const attempt = (text: string) => {
    try {
      return work(text)
    } catch {
      return undefined
    }
  }
  const slow = [...COMMON, ...beginnings].filter(
    piece => growsFaster(attempt, repeated(piece)) || growsFaster(attempt, repeated(piece, beginnings[0])),
  )
  expect(slow).toEqual([])
})

test('a growth with the square of the length is noticed, and a growth with the length is none', () => {
  const squared = (text: string) => {
    let pairs = 0
    for (let one = 0; one < text.length; one++)
      for (let other = one; other < text.length; other += 2) pairs += text.charCodeAt(other) % 2
    return pairs
  }
  expect(growsFaster(squared, repeated('a'))).toBe(true)
  expect(growsFaster(text => indexedWords(text), repeated('a b '))).toBe(false)
})
