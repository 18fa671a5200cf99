import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createClient, ProblemError } from '../../clients/typescript/src/index.ts'
import { pythonWith } from '../support/python.ts'
import { freshTenant, OPERATOR_KEY, withService } from '../support/service.ts'

const FILE = 'test/fixtures/same-calls.json'
const { python, reason } = pythonWith('httpx==0.28.1', 'httpx-sse==0.4.3')
const service = withService()
const calls = JSON.parse(readFileSync(FILE, 'utf8')) as [name: string, fields: unknown][]

test(`the same ${calls.length} calls by both clients have the same answers${python ? '' : `: ${reason}`}`, {
  skip: !python,
}, async () => {
  const [one, two] = [freshTenant(), freshTenant()]
  const mine = plain(await answersHere(one), one)
  const theirs = plain(await answersOfPython(two), two)
  expect(calls.length).toBeGreaterThanOrEqual(50)
  for (const [at, [name]] of calls.entries())
    expect({ name, answer: theirs[at] }).toEqual({ name, answer: mine[at] })
  const refused = calls.flatMap(([name], at) => (Object.hasOwn(mine[at] as object, 'problem') ? [name] : []))
  expect(refused).toEqual([
    'createMemory',
    'getMemory',
    'updateMemory',
    'restoreMemory',
    'listMemories',
    'createConnection',
    'searchMemories',
    'deleteConnection',
  ])
})

async function answersHere(tenant: string): Promise<unknown[]> {
  const options = { baseUrl: service.url, apiKey: OPERATOR_KEY, tenant }
  const client = createClient(options) as unknown as Record<string, (fields: unknown) => Promise<unknown>>
  const answers: unknown[] = []
  for (const [name, fields] of calls) {
    const answer = client[name]?.(resolved(fields, answers)).catch((error: unknown) => {
      if (!(error instanceof ProblemError)) throw error
      return { problem: error.problem?.code, status: error.status, detail: error.problem?.detail }
    })
    answers.push(await answer)
  }
  return answers
}

async function answersOfPython(tenant: string): Promise<unknown[]> {
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: 'clients/python/src',
    PYTHONDONTWRITEBYTECODE: '1',
    TEST_URL: service.url,
    TEST_KEY: OPERATOR_KEY,
    TEST_TENANT: tenant,
  }
  const { stdout } = await promisify(execFile)(python as string, ['test/clients/same_calls.py', FILE], {
    env,
  })
  return JSON.parse(stdout)
}

/** Fields such as `$3.memories.0.id` name a part of an earlier answer. */
function resolved(value: unknown, answers: readonly unknown[]): unknown {
  if (Array.isArray(value)) return value.map(each => resolved(each, answers))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolved(each, answers)]))
  const [, at, path] = /^\$(\d+)\.(.+)$/.exec(String(value)) ?? []
  if (path === undefined) return value
  return path
    .split('.')
    .reduce<unknown>((place, name) => (place as Record<string, unknown>)[name], answers[Number(at)])
}

/** Ids take up one token more or less, a queue is as old as it is, and one client alone sends keys for idempotency. */
const VARYING = ['tokens', 'oldest_age_seconds', 'answers']
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d{2}-\d{2}T[\d:.]+Z/g
/** Secrets, cursors and digests. */
const RANDOM = /[\w.+/=-]{40,}/g

/** Ids in the order in which they appear, and nothing of times, secrets, digests and the tenant. */
function plain(answers: readonly unknown[], tenant: string): unknown[] {
  const ids = new Map<string, string>()
  const text = JSON.stringify(answers)
    .replaceAll(tenant, 'tenant')
    .replaceAll(TIME, 'time')
    .replaceAll(ID, id => ids.get(id) ?? ids.set(id, `id ${ids.size}`).get(id) ?? '')
    .replaceAll(RANDOM, 'random')
  return JSON.parse(text, (name, value) => {
    if (VARYING.includes(name)) return name
    return typeof value === 'number' ? round(value) : value
  })
}

const round = (value: number) => Math.round(value * 1e6) / 1e6
