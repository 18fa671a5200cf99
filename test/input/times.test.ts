import { beforeAll, describe, expect, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { graphql } from '../support/graphql.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { ask } from '../support/mcp.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()
beforeAll(async () => {
  for (const [content, valid_from] of [
    ['of the day', '2030-05-02T00:00:00Z'],
    ['just before', '2030-05-01T23:59:59.999Z'],
  ] as const)
    await service.client.createMemory(someMemory({ content, valid_from, tags: ['times'] }))
})

const moments = [
  '2030-05-02',
  '2030-05-02T00:00',
  '2030-05-02 00:00:00',
  '2030-05-02T00:00:00.000z',
  '2030-05-02T02:00:00+02:00',
]

describe.each(moments)('the time %s', at => {
  test('is the same moment in REST, MCP, GraphQL and on the command line', async () => {
    const found = async (answer: Promise<unknown>) => JSON.stringify(await answer)
    const body = { query: 'day', search_type: 'keyword' as const, valid_at: at, tags: ['times'] }
    const asked = [
      found(service.client.listMemories({ valid_at: at, tags: ['times'] })),
      found(service.client.searchMemories(body)),
      found(
        ask(service, 'tools/call', { name: 'list_memories', arguments: { valid_at: at, tags: ['times'] } }),
      ),
      found(graphql(service, `{ listMemories(validAt: "${at}", tags: ["times"]) { memories { content } } }`)),
    ]
    for (const answer of await Promise.all(asked)) expect(answer).toContain('of the day')
    const { valid_from } = await service.client.createMemory(someMemory({ content: at, valid_from: at }))
    expect(valid_from).toBe('2030-05-02T00:00:00.000Z')
    const { out, err, code } = await runInProcess(
      ['list', '--before', at, '--after', '2020-01-01', '--json'],
      { service },
    )
    expect(code, err).toBe(0)
    expect(out).toContain('of the day')
  })
})

test('a plus that is not encoded is named, with how to write it', async () => {
  const response = await service.request('/memories?created_after=2020-01-01T00:00:00+01:00')
  const { detail } = await expectProblem(response, 'validation_failed')
  expect(detail).toContain('write + as %2B')
  expect((await service.request('/memories?created_after=2020-01-01T00:00:00%2B01:00')).status).toBe(200)
})

test.each(['yesterday', '2020-02-30', '20200101', '2020-01-01T25:00', '1577836800'])(
  '%s is no time, and the answer shows the forms that are',
  async at => {
    const response = await service.request(`/memories?created_after=${at}`)
    const { detail } = await expectProblem(response, 'validation_failed')
    expect(detail).toMatch(/2026-11-23T08:30:00Z.*2026-11-23.*UTC/)
    const { err } = await runInProcess(['list', '--after', at], { service })
    expect(err).toMatch(/2026-11-23T08:30:00Z/)
  },
)
