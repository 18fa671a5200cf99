import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { graphql } from '../support/graphql.ts'
import { remember } from '../support/seed.ts'
import { withService } from '../support/service.ts'

const service = withService()
beforeAll(async () => {
  await remember(service.client, [
    { content: 'The sourdough rises slowly', tags: ['bread'] },
    'The kitchen is cold',
  ])
})

const examples = ['docs/reference/graphql.md', 'README.md'].flatMap(file => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
  return Array.from(text.matchAll(/```graphql\n(.*?)```/gs), ([, query], at) => [
    `${file} ${at + 1}`,
    query as string,
  ])
})

test('there are examples', () => {
  expect(examples.length).toBeGreaterThan(6)
})

test.each(examples)('%s can be asked as it stands', async (_name, query) => {
  const { errors, data } = await graphql(service, query as string)
  expect(errors).toEqual([])
  expect(data).not.toBeNull()
})
