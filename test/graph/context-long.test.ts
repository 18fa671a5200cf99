import { beforeAll, expect, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { ask } from '../support/mcp.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()
const contents = {
  first: 'The lighthouse of Kvitholm is repainted every seventh summer',
  last: 'Ferry tickets to Kvitholm are sold in the bakery',
  middle: 'Zymurgy, spelaeology and quincunx are the words of the crossword club',
}
beforeAll(async () => {
  await service.client.createMemories({
    memories: Object.values(contents).map(content => someMemory({ content })),
  })
})

const filler =
  'Please write in a friendly voice, keep to the rules of the house, and show each step as you go along. '
const prompt = (length: number) => {
  const [start, end] = [
    'When is the lighthouse of Kvitholm repainted? ',
    'Also think of zymurgy, spelaeology and quincunx. '.padEnd(60),
  ]
  const half = filler.repeat(Math.ceil(length / 2 / filler.length)).slice(0, length / 2 - 100)
  return `${start}${half}. ${end}${half}. Where are ferry tickets to Kvitholm sold?`
}

test.each([1_200, 9_999, 12_800, 90_000])(
  'a prompt of %i characters finds what its beginning, its end and its rare words ask',
  async length => {
    const { text, parts, sources } = await service.client.composeContext({ query: prompt(length) })
    expect(sources.length).toBeGreaterThan(0)
    for (const content of Object.values(contents)) expect(text).toContain(content)
    expect(parts[0]).toBe('When is the lighthouse of Kvitholm repainted?')
    expect(parts[1]).toBe('Where are ferry tickets to Kvitholm sold?')
    expect(parts.every(part => part.length <= 1_000)).toBe(true)
  },
)

test('that a question was searched by its parts is said to an agent, in a prompt and on the command line', async () => {
  const query = prompt(12_800)
  const said = 'The question is long'
  const answer = await ask(service, 'tools/call', { name: 'compose_context', arguments: { query } })
  expect(JSON.stringify(answer.result)).toContain(said)
  expect(JSON.stringify(answer.result)).toContain(contents.first)
  const recalled = await ask(service, 'prompts/get', { name: 'recall_for_task', arguments: { task: query } })
  expect(JSON.stringify(recalled.result)).toContain(contents.last)
  const { err, out } = await runInProcess(['context', query], { service })
  expect(err).toContain(said)
  expect(out).toContain(contents.last)
})

test('a question of ordinary length is searched as it is', async () => {
  expect((await service.client.composeContext({ query: 'lighthouse of Kvitholm' })).parts).toEqual([])
})

test('a search keeps its limit and names it', async () => {
  const response = await service.request('/memories/search', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: prompt(12_800), search_type: 'hybrid' }),
  })
  expect((await expectProblem(response, 'validation_failed')).detail).toContain('10000')
})
