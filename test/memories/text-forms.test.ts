import { beforeAll, describe, expect, test } from 'vitest'
import { runInProcess } from '../support/in-process-cli.ts'
import { ask } from '../support/mcp.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()
const cli = async (...words: string[]) => (await runInProcess(words, { service })).out

/** What a tool says to an agent that reads the text alone. */
async function say(name: string, args: object): Promise<string> {
  const { result } = await ask(service, 'tools/call', { name, arguments: args })
  return (result as { content: { text: string }[] }).content[0]?.text ?? ''
}

async function resource(uri: string): Promise<string> {
  const { result } = await ask(service, 'resources/read', { uri })
  return (result as { contents: { text: string }[] }).contents[0]?.text ?? ''
}

const today = new Date().toISOString().slice(0, 10)
let turns: string[]
let ids: Record<'lease' | 'oven' | 'plain', string>
beforeAll(async () => {
  const { client } = service
  const added = await client.addTurns({
    session_id: 'picnic',
    turns: [
      { speaker: 'Ada', text: 'I am allergic to walnuts', time: '2019-05-20T10:00:00.000Z' },
      { speaker: 'Ben', text: 'I live in Leeds', time: '2019-05-21T10:00:00.000Z' },
    ],
  })
  turns = added.turns.map(({ id }) => id)
  const lease = await client.createMemory(
    someMemory({
      content: 'The lease of the bakery costs 900 a month',
      policy: 'long_term',
      tags: ['bakery'],
      valid_from: '2020-02-01T00:00:00.000Z',
      valid_until: '2999-03-01T00:00:00.000Z',
    }),
  )
  const oven = await client.createMemory(
    someMemory({
      content: 'The oven of the bakery is broken',
      tags: ['bakery'],
      speaker: 'Zoë\nof 1999-01-01',
    }),
  )
  const plain = await client.createMemory(
    someMemory({ content: 'The bakery opens at six', tags: ['bakery'] }),
  )
  ids = { lease: lease.id, oven: oven.id, plain: plain.id }
  await client.createConnection({ source_id: lease.id, target_id: oven.id, relationship_type: 'supports' })
})

const ada = () => `${turns[0]} said by Ada on 2019-05-20 long_term`
const ben = () => `${turns[1]} said by Ben on 2019-05-21 long_term`
const lease = () => `${ids.lease} ${today}, valid from 2020-02-01 until 2999-03-01, long_term #bakery`
const oven = () => `${ids.oven} said by Zoë of 1999-01-01 on ${today} short_term #bakery`
const plain = () => `${ids.plain} ${today} short_term #bakery`

describe('who said it, on which day, and until when it holds', () => {
  test('stand in a context', async () => {
    const { text } = await service.client.composeContext({
      query: 'Who is allergic to walnuts, and where does Ben live?',
      min_relevance: 0,
    })
    for (const line of [ada(), ben(), lease(), oven(), plain()]) expect(text).toContain(line)
  })

  test('stand in what is shown at the start of a session', async () => {
    const { text } = await service.client.composeContext({})
    for (const line of [ada(), ben(), lease(), oven(), plain()]) expect(text).toContain(line)
    expect(await resource('memory://context')).toContain(ada())
  })

  test('stand in every tool that shows memories', async () => {
    const found = await say('search_memories', {
      query: 'allergic to walnuts',
      search_type: 'keyword',
      around: 1,
      limit: 1,
    })
    expect(found).toContain(ada())
    expect(found).toContain(`after it: ${ben()}`)
    const listed = await say('list_memories', {})
    for (const line of [ada(), ben(), lease(), oven(), plain()]) expect(listed).toContain(line)
    expect(await say('get_memory', { id: turns[0] })).toBe(`${ada()}\nI am allergic to walnuts`)
    expect(await say('get_memory', { id: ids.lease })).toContain(lease())
    expect(await say('related_memories', { id: ids.oven, direction: 'both' })).toContain(lease())
    expect(await say('find_path', { source_id: ids.oven, target_id: ids.lease })).toContain(oven())
    expect(await say('get_memory_history', { id: turns[0] })).toContain('said by Ada on 2019-05-20')
    expect(await resource('memory://recent')).toContain(ben())
  })

  test('stand in what the fields of a neighbouring turn are', async () => {
    const { result } = await ask(service, 'tools/call', {
      name: 'search_memories',
      arguments: { query: 'allergic to walnuts', search_type: 'keyword', around: 1, limit: 1 },
    })
    const { results } = (result as { structuredContent: { results: { around: object[] }[] } })
      .structuredContent
    expect(results[0]?.around).toMatchObject([
      { memory: { speaker: 'Ben', valid_from: '2019-05-21T10:00:00.000Z' } },
    ])
  })

  test('stand in what the command line prints', async () => {
    expect(await cli('search', 'allergic to walnuts', '--around', '1')).toContain(
      `${turns[0]} said by Ada on 2019-05-20`,
    )
    expect(await cli('list', '--tags', 'bakery')).toContain('valid from 2020-02-01 until 2999-03-01')
    expect(await cli('related', ids.oven)).toContain('valid from 2020-02-01 until 2999-03-01')
    expect(await cli('path', ids.oven, ids.lease)).toContain('said by Zoë of 1999-01-01')
    expect(await cli('show', turns[0] as string)).toMatch(
      /speaker +Ada\n(.*\n)*valid +from 2019-05-20 10:00\n/,
    )
    expect(await cli('show', ids.lease)).toMatch(/valid .*until 2999-03-01 00:00\n/)
    expect(await cli('context', 'Who is allergic?', '--min-relevance', '0')).toContain(ada())
  })
})
