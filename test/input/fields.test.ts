import { beforeAll, expect, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()
let id: string
beforeAll(async () => {
  id = (await service.client.createMemory(someMemory())).id
})

const hostileNames = ['colour', 'Content', 'id', '__proto__', 'constructor', 'toString', 'hasOwnProperty', '']

test.each(hostileNames)('a body with the field "%s" is refused', async name => {
  const field = `${JSON.stringify(name)}: "x"`
  const memory = JSON.stringify(someMemory()).slice(1, -1)
  const calls = [
    ['POST', '/memories', `{${memory}, ${field}}`, name],
    ['POST', '/memories/batch', `{"memories": [{${memory}, ${field}}]}`, `memories/0/${name}`],
    ['PATCH', `/memories/${id}`, `{"importance": 1, ${field}}`, name],
    ['POST', `/memories/${id}/restore`, `{${field}}`, name],
  ] as const
  for (const [method, path, body, pointer] of calls) {
    const document = await expectProblem(await send(method, path, body), 'validation_failed')
    expect(document.errors, path).toMatchObject([{ pointer: `/${pointer}`, code: 'unknown_field' }])
  }
})

test('a name with a slash or a tilde is pointed at as JSON pointers are written', async () => {
  const body = JSON.stringify({ ...someMemory(), 'a/b~c': 1 })
  const document = await expectProblem(await send('POST', '/memories', body), 'validation_failed')
  expect(document.errors?.[0]?.pointer).toBe('/a~1b~0c')
})

test.each(['[]', '"text"', '7', 'true', 'null', '[{"content": "x"}]'])(
  'a body that is %s is no object',
  async body => {
    const paths = ['/memories', '/memories/batch', '/memories/search', `/memories/${id}/restore`]
    for (const path of paths) {
      const document = await expectProblem(await send('POST', path, body), 'validation_failed')
      expect(document.errors, path).toMatchObject([{ pointer: '' }])
    }
    await expectProblem(await send('PATCH', `/memories/${id}`, body), 'validation_failed')
  },
)

test('no body at all is an empty one', async () => {
  const response = await service.request('/memories', { method: 'POST' })
  const document = await expectProblem(response, 'validation_failed')
  expect(document.errors).toHaveLength(3)
})

test('fields that hold names of the language are kept as text', async () => {
  const tags = ['__proto__', 'constructor', '{"$gt": 1}', "' OR 1=1 //", '$content', '`m`']
  const response = await send('POST', '/memories', JSON.stringify(someMemory({ tags })))
  expect(await response.json()).toMatchObject({ tags })
  const { memories } = await service.client.listMemories({ tags: ['__proto__', 'constructor'] })
  expect(memories).toMatchObject([{ tags }])
})

const send = (method: string, path: string, body: string) =>
  service.request(path, { method, headers: { 'content-type': 'application/json' }, body })
