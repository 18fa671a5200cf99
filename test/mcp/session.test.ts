import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../src/platform/neo4j/ports.ts'
import { connectBridge } from '../support/bridge.ts'
import { startService } from '../support/service.ts'

const TRANSCRIPT = new URL('../../docs/explanation/mcp-session.md', import.meta.url)

const facts = [
  'Ada prefers trains to planes',
  'Ada is allergic to hazelnuts',
  'The offsite is in Lisbon',
  'The offsite is in Porto',
  'The offsite was moved because the hotel in Lisbon closed',
  'The night train to Lisbon does not run any more',
  'Ben books all travel for the team',
  'The budget for the offsite is 9,000 euros',
  'The team wants a day without talks',
  'Ben is away in March',
]

const resources = new AsyncDisposableStack()
afterAll(() => resources.disposeAsync())

test('an agent remembers over a restart of the service, and its session stands in the documents', {
  timeout: 180_000,
}, async () => {
  const settings = { SERVICE_PORT: String(await freePort()) }
  let service = await startService({ settings })
  resources.defer(() => service[Symbol.asyncDispose]())
  const client = await connectBridge('2.x, 2026-07-28', service)
  resources.defer(() => client.close())
  const transcriptLines: string[] = []
  const ids: string[] = []

  say('An agent stores ten facts.')
  const stored = await call('create_memories', {
    memories: facts.map(content => ({ content, policy: 'long_term', tags: ['offsite'] })),
  })
  ids.push(...(stored.memories as { id: string }[]).map(({ id }) => id))
  const [, , lisbon, porto, hotel, train] = ids as [string, string, string, string, string, string]

  say('It connects them: two of them contradict each other.')
  await call('create_connection', { source_id: porto, target_id: lisbon, relationship_type: 'contradicts' })
  await call('create_connection', { source_id: porto, target_id: hotel, relationship_type: 'caused_by' })

  say('A question returns the contradiction next to what it contradicts.')
  await call('compose_context', { query: 'where is the offsite?', tags: ['offsite'], max_tokens: 1_000 })

  say('The service stops. A call returns an error that says so. The session continues.')
  await service[Symbol.asyncDispose]()
  await call('get_memory', { id: porto })

  say(
    'The service starts again, and the same session continues. The agent archives what is out of date, and one memory too many.',
  )
  service = await startService({ settings })
  await call('delete_memory', { id: lisbon })
  await call('delete_memory', { id: train })
  await call('compose_context', { query: 'where is the offsite?', tags: ['offsite'], max_tokens: 1_000 })

  say('The agent restores that memory.')
  await call('restore_memory', { id: train })
  await call('search_memories', { query: 'train', search_type: 'keyword' })
  await call('get_memory', { id: '00000000-0000-7000-8000-000000000000' })

  const text = transcript(transcriptLines)
  if (process.env.MNEMOGRAPH_WRITE_DOCS) writeFileSync(TRANSCRIPT, text)
  expect(text).toBe(readFileSync(TRANSCRIPT, 'utf8'))

  function say(line: string) {
    transcriptLines.push(line)
  }

  async function call(name: string, args: Record<string, unknown>) {
    const answer = await client
      .callTool({ name, arguments: args })
      .catch((error: Error) => ({ content: [{ type: 'text', text: `error: ${error.message}` }] }))
    const [{ text: said }] = answer.content as unknown as [{ text: string }]
    transcriptLines.push(`\`\`\`\n→ ${name} ${JSON.stringify(args)}\n${said}\n\`\`\``)
    return ('structuredContent' in answer ? answer.structuredContent : {}) as Record<string, unknown>
  }

  /** With short names for what differs from run to run. */
  function transcript(parts: readonly string[]): string {
    const named = ids.reduce((text, id, at) => text.replaceAll(id, `«${at + 1}»`), parts.join('\n\n'))
    return `${HEAD}\n${named
      .replaceAll(/\d{4}-\d\d-\d\d/g, '«today»')
      .replaceAll(/Request \S+/g, 'Request «…»')
      .replaceAll(service.url, 'http://127.0.0.1:4545')}\n`
  }
})

const HEAD = `# A session of an agent

This transcript shows what an agent calls (after each arrow) and what it reads. The test \`test/mcp/session.test.ts\` writes it through \`mnemograph mcp\`. Ids and days have
short names here. To update it, run \`MNEMOGRAPH_WRITE_DOCS=1 npx vitest run test/mcp/session\`.
`
