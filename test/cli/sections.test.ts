import fc from 'fast-check'
import { expect, test } from 'vitest'
import { modulesOf, textsOfPackages } from '../../integrations/ingest/packages.ts'
import { cut } from '../../integrations/ingest/sections.ts'
import { folderOf } from '../support/cli.ts'

const filler = (word: string, count = 60) => `${word} `.repeat(count).trim()
const markdown = (text: string, path = '/texts/handbook/guide.md') => cut({ path, name: 'guide.md' }, text)

test('each section carries the headings that lead to it', () => {
  const text = `# Guide\n\n${filler('intro')}\n\n## Setup\n\n${filler('setup')}\n\n### Linux\n\n${filler('linux')}\n\n## Use\n\n${filler('use')}`
  expect(markdown(text).map(({ heading }) => heading)).toEqual([
    'Guide',
    'Guide › Setup',
    'Guide › Setup › Linux',
    'Guide › Use',
  ])
  expect(markdown(text)[2]?.content).toBe(`Guide › Setup › Linux\n\n${filler('linux')}`)
})

test('small sections are joined under the heading they share', () => {
  const text = `# API\n\n${filler('long')}\n\n## Calls\n\n### get\n\nReads one.\n\n### put\n\nWrites one.`
  expect(markdown(text).map(({ content }) => content)).toEqual([
    `API\n\n${filler('long')}\n\nCalls › get\n\nReads one.\n\nCalls › put\n\nWrites one.`,
  ])
})

test.each(['> ', '* ', '1. ', '- > 2) '])(
  'a text of lists in lists without end is read as it stands (%s)',
  opened => {
    const line = opened.repeat(20_000).trim()
    const sections = markdown(`# Guide\n\n${filler('intro')}\n\n${line} the end`)
    expect(sections.at(0)?.content).toContain('intro intro')
    expect(sections.at(-1)?.content).toMatch(/the end$/)
  },
)

test('a long section is divided between its paragraphs, and a long list between its items', () => {
  const paragraphs = Array.from({ length: 10 }, (_, index) => filler(`paragraph${index}`, 50)).join('\n\n')
  const items = Array.from({ length: 20 }, (_, index) => `- ${filler(`item${index}`, 30)}`).join('\n')
  for (const text of [paragraphs, items]) {
    const sections = markdown(`# Long\n\n${text}`)
    expect(sections.length).toBeGreaterThan(2)
    expect(sections.map(({ heading }) => heading).slice(0, 2)).toEqual(['Long', 'Long (part 2)'])
    for (const { content } of sections) expect(content.length).toBeLessThan(2_100)
  }
})

test('badges, comments, link targets and tables of contents are left out', () => {
  const text = `# Tool\n\n[![build](https://a.test/b.svg)](https://a.test)\n\n<!-- a secret -->\n\n- [Use](#use)\n- [Setup](#setup)\n\n<p align="center">It <b>works</b></p>\n\n## Use\n\nCall [it][1].\n\n[1]: https://a.test/it`
  expect(markdown(text).map(({ content }) => content)).toEqual(['Tool\n\nIt works\n\nUse\n\nCall [it][1].'])
})

test('front matter gives the title and is no text', () => {
  const text = `---\ntitle: "The title"\ndraft: true\n---\n\nThe text.`
  expect(markdown(text)).toEqual([{ heading: 'The title', content: 'The title\n\nThe text.' }])
})

test('a file without headings has its name, and a README that of its folder', () => {
  expect(markdown('Text.')[0]?.heading).toBe('guide')
  expect(markdown('Text.', '/texts/handbook/README.md')[0]?.heading).toBe('handbook')
})

test('a heading in a piece of code is code', () => {
  expect(markdown('# Shell\n\n```sh\n# not a heading\nls\n```')).toHaveLength(1)
})

test('plain text is divided at its blank lines, and a hash begins no heading there', () => {
  const sections = cut({ path: '/texts/notes.txt', name: 'notes.txt' }, '# one\r\n\r\ntwo')
  expect(sections).toEqual([{ heading: 'notes', content: 'notes\n\n# one\n\ntwo' }])
})

test('a text without content creates no memory', () => {
  for (const text of ['', '\n \n', '# Only a heading', '---', '![](a.png)'])
    expect(markdown(text)).toEqual([])
})

test('no word of a plain text is lost, and every section fits into a memory', () => {
  const word = fc.stringMatching(/^[a-zäß語😀]{1,12}$/u)
  const paragraph = fc.array(word, { minLength: 1, maxLength: 400 }).map(words => words.join(' '))
  const document = fc.array(paragraph, { minLength: 1, maxLength: 12 }).map(all => all.join('\n\n'))
  fc.assert(
    fc.property(document, fc.constantFrom('a.txt', 'a.md'), (text, name) => {
      const sections = cut({ path: `/${name}`, name }, text)
      const found = new Set(sections.flatMap(({ content }) => content.split(/\s+/)))
      for (const each of text.split(/\s+/)) expect(found.has(each)).toBe(true)
      for (const { content } of sections) expect(Buffer.byteLength(content)).toBeLessThan(30_000)
    }),
    { numRuns: 50 },
  )
})

test('even one endless line fits', () => {
  for (const text of [
    'x'.repeat(300_000),
    '語'.repeat(90_000),
    `# A\n\n\`\`\`\n${'y'.repeat(70_000)}\n\`\`\``,
  ])
    for (const { content } of markdown(text)) expect(Buffer.byteLength(content)).toBeLessThan(30_000)
})

test('the texts of packages are found in a clone, and next to and below an installed package', async () => {
  const folder = folderOf({
    'node_modules/a/README.md': 'A',
    'node_modules/@scope/b/docs/use.md': 'B',
    'node_modules/mnemograph/README.md': 'M',
    'node_modules/mnemograph/node_modules/c/readme.md': 'C',
    'node_modules/mnemograph/node_modules/a/README.md': 'an older A',
    'node_modules/c.txt': 'no package',
  })
  const identities = async (root: string) =>
    (await textsOfPackages(modulesOf(root))).map(({ identity }) => identity)
  const readmes = ['@scope/b/use.md', 'a/README.md', 'c/readme.md', 'mnemograph/README.md']
  expect(await identities(`${folder}/node_modules/mnemograph/`)).toEqual(
    readmes.map(name => `node_modules/${name}`),
  )
  expect(await identities(`${folder}/`)).toEqual(
    readmes.filter(name => !name.startsWith('c/')).map(name => `node_modules/${name}`),
  )
})
