import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { type ChildService, startChildService } from '../support/child-service.ts'
import { blocksOf, kindsOf, type Step, shapeOf, stepsOf, walk } from '../support/documents.ts'
import { fixture } from '../support/fixture.ts'
import { emptyDatabase } from '../support/own-database.ts'

/** What a reader does with other programs, or with a browser. */
const elsewhere = [/^npm start$/m, /^claude mcp add/m, /^cat \.memory\/development\.key$/m]

describe('A newcomer who has just started the service', () => {
  const folder = temporaryFolder()
  // With the built-in model, a worker, and a key that it makes: as `npm start` does where a Neo4j runs.
  const service: ChildService = fixture(async () => {
    const { uri, username, password, database } = await emptyDatabase()
    return startChildService({
      SERVICE_DATA_DIR: folder,
      SERVICE_SERVER_API_KEY: '',
      SERVICE_EMBEDDING_PROVIDER: 'builtin',
      NEO4J_URI: uri,
      NEO4J_USERNAME: username,
      NEO4J_PASSWORD: password,
      NEO4J_DATABASE: database,
    })
  })

  const here = (text: string) =>
    text.replaceAll('http://127.0.0.1:4545', service.url).replaceAll('.memory/', `${folder}/`)

  const follow = async (steps: readonly Step[], isQuick = false) => {
    const mine = steps.map(({ commands, shown }) => ({ commands: here(commands), shown }))
    return walk(mine, { SERVICE_DATA_DIR: folder }, isQuick)
  }

  const open = (name: string) =>
    stepsOf(name).filter(({ commands }) => !elsewhere.some(program => program.test(commands)))

  test('sees the banner of the README', () => {
    const [banner = ''] = blocksOf('README.md', '').filter(block => block.includes('Console'))
    const labels = (text: string) =>
      Array.from(text.matchAll(/^ {2}([A-Z][a-z0-9A-Z]+) /gm), ([, label]) => label)
    expect(labels(banner).length).toBeGreaterThan(8)
    expect(labels(service.said())).toEqual(labels(banner))
    expect(existsSync(join(folder, 'development.key'))).toBe(true)
  })

  test('gets the answers of the README', async () => {
    const calls = open('README.md').filter(({ commands }) => commands.includes('call $URL'))
    const [out = ''] = await follow(calls)
    const answers = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const [created, stats] = blocksOf('README.md', 'json').map(block => JSON.parse(block))
    expect(kindsOf(answers[0])).toEqual(kindsOf(created))
    expect(answers[2].results.map(({ score }: { score: number }) => score.toFixed(3))).toEqual([
      '1.000',
      '0.750',
    ])
    const key = readFileSync(join(folder, 'development.key'), 'utf8').trim()
    const ask = async () => {
      const answer = await fetch(`${service.baseUrl}/stats`, { headers: { authorization: `Bearer ${key}` } })
      return answer.json()
    }
    await expect.poll(ask).toEqual(stats)
  })

  test.each([
    'docs/tutorial.md',
    ...['first-tasks', 'keep-memories-good', 'keys-and-tenants', 'private-memories'].map(
      name => `docs/how-to/${name}.md`,
    ),
  ])('walks through %s and sees what it shows', { timeout: 300_000 }, async name => {
    const steps = open(name)
    expect(steps.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(4)
    const printed = await follow(steps, name !== 'docs/how-to/keys-and-tenants.md')
    for (const [at, { shown, commands }] of steps.entries())
      if (shown !== undefined) expect.soft(shapeOf(printed[at] ?? ''), commands).toContain(shapeOf(shown))
  })
})
