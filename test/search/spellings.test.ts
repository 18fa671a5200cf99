import { expect, test } from 'vitest'
import { remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()

/** What is asked, and the memory that has it in another spelling. */
const spellings: readonly (readonly [query: string, content: string])[] = [
  ['équipe', "La réunion de l'équipe est à dix heures"],
  ["l'équipe", 'Une équipe de dix personnes'],
  ['eau', 'Il n’y a plus d’eau chaude'],
  ['ordinateur', 'Qu’ordinateur et clavier sont neufs'],
  ['acqua', "Il prezzo dell'acqua è salito"],
  ['amico', "È arrivato un'amico da Roma"],
  ['Ankara', "Geçen yıl Ankara'ya taşındık"],
  ['İstanbul', "İstanbul'da bir ofis var"],
  ['Zeynep', 'Zeynep’in doğum günü mayısta'],
  ['комп\u02bcютер', "Новий комп'ютер на столі"],
  ["п'ятниця", 'П’ятниця є вихідним'],
  ['Obrien’s boat', "Obrien's boat is blue"],
  ["O'Brien", 'O’Brien’s bicycle is green'],
  ['automobile', 'The auto\u00admobile stands in the garage'],
  ['notebook', 'A note\u200bbook lies on the shelf'],
  ['keyboard', 'The key\u2060board is \ufeffnew'],
  ['pass\u00adport', 'The passport expires in May'],
  ['المستشفي', 'زرت المستشفى أمس'],
  ['مدرسه', 'هذه مدرسة جديدة'],
  ['کتاب', 'هذا كتاب قديم'],
  ['محمد', 'قابلت محـــمد هنا'],
  ['می‌خواهم', 'من میخواهم بروم'],
]

test.each(spellings)('“%s” finds “%s”', async (query, content) => {
  const client = service.clientOf(freshTenant())
  await remember(client, [content, 'Something else'])
  const { results } = await client.searchMemories({ query, search_type: 'keyword' })
  expect(results.map(({ memory }) => memory.content)).toEqual([content])
})

test('a phrase is found across an elided article, and emoji stay what they are', async () => {
  const client = service.clientOf(freshTenant())
  const contents = ["Le directeur de l'équipe de France", 'The 👩‍👩‍👧‍👦 moved']
  await remember(client, contents)
  for (const [at, query] of ['"équipe de France"', '👩‍👩‍👧‍👦'].entries()) {
    const { results } = await client.searchMemories({ query, search_type: 'keyword' })
    expect(results.map(({ memory }) => memory.content)).toEqual([contents[at]])
  }
})
