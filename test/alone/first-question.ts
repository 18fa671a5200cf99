import { expect, test } from 'vitest'
import { emptyDatabase } from '../support/own-database.ts'
import { remember } from '../support/seed.ts'
import { startService } from '../support/service.ts'

const answer = 'Our household adopted a golden retriever'
const people = ['Anna', 'Boris', 'Chen', 'Dara', 'Elif', 'Farid', 'Greta', 'Hugo']
const doings = [
  'repaired the roof of the garden shed',
  'asked which train leaves for Leeds before noon',
  'keeps the spare key under the blue flowerpot',
  'pays the electricity bill on the third of each month',
  'said that the street is named after a village in Wales',
  'plays the cello in an orchestra on Thursdays',
  'rents a flat in the old town',
  'booked a table for six on Saturday',
  'finished a doctorate in marine biology',
  'prefers tea without sugar',
  'moved the meeting about the budget to Monday',
  'sold the car and bought a bicycle',
]

test('with the built-in model a question finds the memory that answers it, although they share no word', async () => {
  const settings = {
    SERVICE_EMBEDDING_PROVIDER: 'builtin',
    SERVICE_EMBEDDING_MODEL: '',
    SERVICE_EMBEDDING_DIMENSIONS: '',
  }
  await using service = await startService({ database: await emptyDatabase(), settings })
  const others = people.flatMap(person => doings.map(doing => `${person} ${doing}`))
  await remember(service.client, [...others, answer])
  await service.drain()
  for (const search_type of ['semantic', 'hybrid'] as const) {
    const { results, degraded } = await service.client.searchMemories({
      query: 'What pet does the family own?',
      search_type,
      limit: 5,
    })
    expect(degraded).toBe(false)
    expect(
      results.map(({ memory }) => memory.content),
      search_type,
    ).toMatchObject({ 0: answer })
  }
})
