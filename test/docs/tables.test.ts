import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { documents, renew } from '../../scripts/docs.ts'
import { licencesPage, withLicences } from '../../scripts/licences.ts'

const root = new URL('../../', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, root), 'utf8')

test.each(documents)('the tables in %s are those of the code (npm run docs)', name => {
  const text = read(name)
  expect(text).toMatch(/<!-- \w+ -->\n(\||###) /)
  expect(text).toBe(renew(text))
})

const documentNames = () =>
  ['', 'docs/', 'clients/python/', 'clients/typescript/'].flatMap(folder =>
    readdirSync(new URL(folder || './', root), { recursive: folder === 'docs/' })
      .map(name => `${folder}${name}`)
      .filter(name => name.endsWith('.md')),
  )

/** The anchors that a page gives its headings, as GitHub makes them. */
function anchorsOf(name: string): Set<string> {
  const prose = read(name).replaceAll(/^```.*?^```$/gms, '')
  return new Set(
    Array.from(prose.matchAll(/^#{1,6} (.+)$/gm), ([, heading = '']) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

test('every link from one document to another leads to a page and a heading that exist', () => {
  const links = documentNames().flatMap(name =>
    Array.from(
      read(name).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g),
      ([, target = '', anchor]) => ({
        name,
        page: target === '' ? name : join(dirname(name), target),
        anchor,
      }),
    ),
  )
  expect(links.length).toBeGreaterThan(150)
  const broken = links.filter(
    ({ page, anchor }) =>
      !existsSync(new URL(page, root)) ||
      (anchor !== undefined && page.endsWith('.md') && !anchorsOf(page).has(anchor)),
  )
  expect(broken).toEqual([])
})

test('the licences are those of the lock file (npm run licences)', () => {
  const text = readFileSync(licencesPage, 'utf8')
  expect(text).toMatch(/\| MIT \| \d{2,} \|/)
  expect(text).toBe(withLicences(text))
})

test('every page of the documentation is in its index', () => {
  const index = read('docs/index.md')
  const pages = documentNames()
    .filter(name => name.startsWith('docs/') && name !== 'docs/index.md')
    .map(name => name.slice('docs/'.length))
  expect(pages.filter(page => !index.includes(`(${page}`))).toEqual([])
})
