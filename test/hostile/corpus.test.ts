import { beforeAll, expect, test } from 'vitest'
import type { Scope } from '../../src/contract/route.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'
import { attacks, type Target } from './corpus.ts'

const LARGEST_REFUSAL = 100_000

const service = withService({
  settings: { NODE_ENV: 'production', SERVICE_SERVER_API_KEY: OPERATOR_KEY.padEnd(32, '-') },
})
const target: { keys: Partial<Record<Scope, string>> } & Pick<Target, 'keys'> = {
  keys: {} as Target['keys'],
}

beforeAll(async () => {
  const made = (scope: Scope) =>
    service.client.createKey({ tenant: service.tenant, scopes: [scope], name: scope })
  const entries = await Promise.all(
    (['read', 'write', 'admin'] as const).map(async scope => [scope, (await made(scope)).key] as const),
  )
  Object.assign(target.keys, Object.fromEntries(entries))
})

/** `growth.test.ts` tries all beginnings of secrets, and `npm run attack` sends them: here one is enough. */
const sent = attacks.filter(({ name }) => !name.includes('repeats of') || name.includes('PuTTY'))

test.each(sent)('$name is refused or answered, in few words and without a fault', async ({ send }) => {
  const { url, tenant } = service
  const answers = await send({ url, tenant, keys: target.keys })
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  expect(answers.filter(({ status, bytes }) => status >= 400 && bytes > LARGEST_REFUSAL)).toEqual([])
  expect(answers.filter(({ text }) => /INTERNAL_ERROR|internal_error|Maximum call stack/.test(text))).toEqual(
    [],
  )
  expect((await fetch(`${url}/health`)).status).toBe(200)
})
