import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { documents, renew } from '../../scripts/docs.ts'

const root = new URL('../../', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, root), 'utf8')

test.each(documents)('the tables in %s are those of the code (npm run docs)', name => {
  const text = read(name)
  expect(text).toMatch(/<!-- \w+ -->\n(\||###) /)
  expect(text).toBe(renew(text))
})

test('every link from one document to another leads somewhere', () => {
  const names = [
    ...readdirSync(root).filter(name => name.endsWith('.md')),
    ...readdirSync(new URL('docs/', root)).map(name => `docs/${name}`),
  ].filter(name => name.endsWith('.md'))
  const links = names.flatMap(name =>
    Array.from(read(name).matchAll(/\]\((?!https?:)([^)#]+)/g), ([, target = '']) => ({ name, target })),
  )
  expect(links.length).toBeGreaterThan(5)
  const broken = links.filter(
    ({ name, target }) => !existsSync(fileURLToPath(new URL(target, new URL(name, root)))),
  )
  expect(broken).toEqual([])
})
