import neo4j from 'neo4j-driver'
import { beforeAll, describe, expect, test } from 'vitest'
import { mnemograph } from '../support/cli.ts'
import type { TestDatabase } from '../support/lender.ts'
import { bareDatabase } from '../support/own-database.ts'

describe('The commands for a database', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await bareDatabase()
  })

  const run = (words: string[], env: Record<string, string> = {}) => {
    const { uri: NEO4J_URI, password: NEO4J_PASSWORD } = database
    return mnemograph(words, { env: { NEO4J_URI, NEO4J_PASSWORD, ...env } })
  }

  type Finding = { check: string; status: string; message: string; remedy?: string }

  async function doctor(): Promise<{ code: number | null; schema: Finding[] }> {
    const { code, out } = await run(['doctor', '--json'])
    const { findings } = JSON.parse(out) as { findings: Finding[] }
    return { code, schema: findings.filter(({ check }) => ['migrations', 'indexes'].includes(check)) }
  }

  async function cypher(...statements: string[]) {
    const { uri, username, password } = database
    await using driver = neo4j.driver(uri, neo4j.auth.basic(username, password))
    for (const statement of statements) await driver.executeQuery(statement)
  }

  test('pending migrations are listed, applied once, and then listed as applied', async () => {
    const before = await run(['migrate', 'status'])
    expect(before).toMatchObject({ code: 0, err: expect.stringMatching(/^\d+ would be applied\.\n$/) })
    expect(before.out).toMatch(/^MIGRATION +APPLIED +STATE\n0001-memories +– +pending\n/)
    expect((await doctor()).schema[0]).toMatchObject({
      status: 'failure',
      remedy: expect.stringContaining('migrate'),
    })

    const applied = JSON.parse((await run(['migrate', '--json'])).out)
    expect(applied.applied).toHaveLength(before.out.trim().split('\n').length - 1)
    expect(applied.migrations[0]).toMatchObject({
      name: '0001-memories',
      state: 'applied',
      applied_at: expect.any(String),
    })
    const again = await run(['migrate'])
    expect(again).toMatchObject({ code: 0, err: 'All were applied already.\n' })
    expect(await doctor()).toMatchObject({ code: 0, schema: [{ status: 'ok' }, { status: 'ok' }] })
  })

  test('an index that is gone, or of another kind, is reported with the statement that fixes it', async () => {
    await cypher(
      'DROP INDEX memory_by_tenant',
      'DROP INDEX job_by_memory',
      'CREATE INDEX job_by_memory FOR (j:Job) ON (j.kind)',
    )
    const { code, schema } = await doctor()
    expect(code).toBe(1)
    const faults = schema.filter(({ status }) => status === 'failure')
    expect(faults.map(({ message }) => message)).toEqual([
      'memory_by_tenant is missing',
      'job_by_memory is of another kind: RANGE on kind',
    ])
    for (const { remedy = '' } of faults) await cypher(...remedy.slice(remedy.indexOf(': ') + 2).split('; '))
    await cypher('CALL db.awaitIndexes()')
    expect((await doctor()).code).toBe(0)
  })

  test('a database of another version and a wrong password each have their own error', async () => {
    await cypher("CREATE (:Migration {name: '9999-later', checksum: 'x', appliedAt: datetime()})")
    expect(await run(['migrate'])).toMatchObject({ code: 78, err: expect.stringContaining('9999-later') })
    expect((await run(['migrate', '--dry-run'])).err).toContain('of another version')
    await cypher('MATCH (m:Migration {name: "9999-later"}) DELETE m')
    const wrongPassword = { NEO4J_PASSWORD: 'wrong' }
    expect(await run(['migrate'], wrongPassword)).toMatchObject({
      code: 77,
      err: expect.stringContaining('NEO4J_PASSWORD'),
    })
    const { code, out } = await run(['doctor'], wrongPassword)
    expect(code).toBe(1)
    expect(out).toMatch(/failure +neo4j +bolt.* refuses the user or the password/)
    expect(out).toContain('→ Fix NEO4J_USERNAME and NEO4J_PASSWORD')
  })
})
