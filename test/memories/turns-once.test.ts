import { expect, test } from 'vitest'
import { freshTenant, withService } from '../support/service.ts'
import { holdBack } from '../support/statements.ts'

const service = withService()

const turns = ['Where are my keys?', 'In the hall.'].map((text, at) => ({
  speaker: 'Anna',
  text,
  time: `2026-11-20T09:15:3${at}Z`,
}))

test('of equal turns that are added at the same time each is stored by one request only', async () => {
  const client = service.clientOf(freshTenant())
  const { held, release } = holdBack(service, 'CREATE (m:Memory {')
  const adding = Array.from({ length: 3 }, () => client.addTurns({ session_id: 'chat', turns }))
  await expect.poll(() => held.length).toBe(3)
  release()
  const answers = await Promise.all(adding)
  for (const at of turns.keys()) expect(answers.filter(({ turns: said }) => said[at]?.stored)).toHaveLength(1)
  expect(answers.reduce((sum, { stored }) => sum + stored, 0)).toBe(turns.length)
  expect(await client.addTurns({ session_id: 'chat', turns })).toMatchObject({ stored: 0 })
})
