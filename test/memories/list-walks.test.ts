import { expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import type { Memory } from '../../src/contract/memory.ts'
import { allPages } from '../support/all-pages.ts'
import { idOf } from '../support/seed.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()

const walks: Input<'listMemories'>[] = [
  { limit: 4 },
  { limit: 4, order: 'asc' },
  { limit: 5, include_archived: true },
  { limit: 4, order_by: 'importance' },
  { limit: 4, order_by: 'health', order: 'asc' },
  { limit: 4, tags: ['kept'] },
  { limit: 4, min_importance: 0.2 },
]

test.each(walks)(
  'a walk %j meets every memory that stays exactly once, whatever happens to others',
  async input => {
    const { client, memories } = await thirty()
    const [staying, moving] = [
      memories.filter((_, at) => at % 3 > 0),
      memories.filter((_, at) => at % 3 === 0),
    ]
    const found = await allPages(client, input, () => disturb(client, moving))
    const met = found.map(idOf).filter(id => staying.some(memory => memory.id === id))
    expect(met.toSorted()).toEqual(staying.map(idOf).toSorted())
  },
)

test('with the default ordering changes of a memory during a walk do not hide it', async () => {
  const { client, memories } = await thirty()
  const change = async ({ id }: Memory) =>
    client.updateMemory({ id, importance: 0.9, content: `Changed ${id}` })
  const queue = [...memories]
  const found = await allPages(client, { limit: 4 }, () => Promise.all(queue.splice(0, 5).map(change)))
  expect(found.map(idOf)).toEqual(memories.map(idOf).toReversed())
})

test('walks that go on while memories are written and archived all the time meet every one that stays', async () => {
  const { client, memories } = await thirty()
  const staying = memories.slice(0, 15).map(idOf)
  const going = memories.slice(15)
  let walking = true
  const disturbance = (async () => {
    while (walking) await disturb(client, going)
  })()
  try {
    for (const order of ['asc', 'desc'] as const) {
      const ids = (await allPages(client, { limit: 3, order })).map(idOf)
      expect(new Set(ids).size).toBe(ids.length)
      expect(staying.filter(id => !ids.includes(id))).toEqual([])
    }
  } finally {
    walking = false
    await disturbance
  }
})

test('the size of a page may change during a walk', async () => {
  const { client, memories } = await thirty()
  const first = await client.listMemories({ limit: 1 })
  const second = await client.listMemories({ limit: 7, cursor: first.next_cursor as string })
  const third = await client.listMemories({ limit: 200, cursor: second.next_cursor as string })
  const ids = [first, second, third].flatMap(page => page.memories.map(idOf))
  expect(ids).toEqual(memories.map(idOf).toReversed())
  expect(third).toMatchObject({ has_more: false, next_cursor: null, truncated: false, limit: 200 })
})

test('a page that is asked for twice is the same twice', async () => {
  const { client } = await thirty()
  const { next_cursor } = await client.listMemories({ limit: 4 })
  const ask = () => client.listMemories({ limit: 4, cursor: next_cursor as string })
  expect(await ask()).toEqual(await ask())
})

test('a page has twenty memories by default, newest first', async () => {
  const { client, memories } = await thirty()
  const page = await client.listMemories()
  expect(page.memories).toEqual(memories.toReversed().slice(0, 20))
  expect(page).toMatchObject({ has_more: true, truncated: false, limit: 20 })
})

test('a list of nothing is empty', async () => {
  const page = await service.clientOf(freshTenant()).listMemories()
  expect(page).toEqual({ memories: [], next_cursor: null, has_more: false, truncated: false, limit: 20 })
})

async function thirty() {
  const client = service.clientOf(freshTenant())
  const rows = Array.from({ length: 30 }, (_, at) =>
    someMemory({ content: `Note ${at}`, tags: ['kept'], importance: 0.25 + (at % 5) / 10 }),
  )
  const { memories } = await client.createMemories({ memories: rows })
  return { client, memories: memories.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }
}

/** One is written, one changed, one archived. */
async function disturb(client: typeof service.client, moving: Memory[]) {
  const [changed, archived] = moving.splice(0, 2)
  await client.createMemory(someMemory({ content: 'New', tags: ['kept'], importance: 0.5 }))
  if (changed) await client.updateMemory({ id: changed.id, importance: 0, tags: ['moved'] })
  if (archived) await client.deleteMemory({ id: archived.id })
}
