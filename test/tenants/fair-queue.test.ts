import { expect, onTestFinished, test, vi } from 'vitest'
import { createBatcher } from '../../src/platform/batcher.ts'
import { createFairQueue } from '../../src/platform/fair-queue.ts'
import { createSemaphore, type Permit } from '../../src/platform/semaphore.ts'

const never = new AbortController().signal

function lineOf(...items: string[]) {
  const line = createFairQueue<string>()
  for (const item of items) line.add(item[0] as string, item)
  return line
}

const rest = (line: ReturnType<typeof lineOf>) =>
  Array.from({ length: line.size }, () => line.next() as string).join(' ')

test('owners have their turns one after the other, and what one has added keeps its order', () => {
  expect(rest(lineOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2'))).toBe('a1 b1 c1 a2 c2 a3')
})

test('an owner that comes later waits for one of each other owner, however many those have', () => {
  const line = lineOf('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3')
  expect([line.next(), line.next(), line.next()]).toEqual(['a1', 'b1', 'a2'])
  line.add('c', 'c1')
  expect(rest(line)).toBe('b2 a3 c1 b3 a4')
})

test('what leaves the line is not there any more, once', () => {
  const line = lineOf('a1', 'a2', 'b1')
  line.drop('a', 'a1')
  line.drop('a', 'a1')
  line.drop('c', 'c1')
  expect(line.size).toBe(2)
  expect(rest(line)).toBe('a2 b1')
  expect(line.next()).toBeUndefined()
})

test('who may not have a turn now keeps its place', () => {
  const line = lineOf('a1', 'b1', 'a2')
  expect(line.next((_, owner) => owner !== 'a')).toBe('b1')
  expect(line.next((_, owner) => owner !== 'a')).toBeUndefined()
  expect(rest(line)).toBe('a1 a2')
})

test('no owner has more semaphore than its share, and all together no more than there are', async () => {
  const semaphore = createSemaphore({ all: 3, each: 2 })
  const got: string[] = []
  const take = async (owner: string, name: string) => {
    const permit = await semaphore.take(owner, never)
    got.push(name)
    return permit
  }
  const a = [take('a', 'a1'), take('a', 'a2'), take('a', 'a3')]
  const b = [take('b', 'b1'), take('b', 'b2')]
  await settled()
  expect(got).toEqual(['a1', 'a2', 'b1'])
  const [a1, a2] = (await Promise.all(a.slice(0, 2))) as [Permit, Permit]
  a1[Symbol.dispose]()
  await settled()
  expect(got).toEqual(['a1', 'a2', 'b1', 'a3'])
  a2[Symbol.dispose]()
  await settled()
  expect(got).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
  for (const permit of await Promise.all([...a.slice(2), ...b])) permit[Symbol.dispose]()
  const again = await Promise.all([
    semaphore.take('c', never),
    semaphore.take('c', never),
    semaphore.take('d', never),
  ])
  expect(again).toHaveLength(3)
})

test('an owner who is alone may have all but one share, and keeps to its own once another has come', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const semaphore = createSemaphore({ all: 6, each: 2, leaveMs: 1000 })
  const got: Record<string, Permit[]> = { a: [], b: [] }
  const take = (owner: string) => semaphore.take(owner, never).then(permit => got[owner]?.push(permit))
  const give = (owner: string) => got[owner]?.shift()?.[Symbol.dispose]()
  const held = async () => {
    await settled()
    return [got.a?.length, got.b?.length]
  }
  for (let at = 0; at < 10; at++) void take('a')
  expect(await held()).toEqual([4, 0])
  for (let at = 0; at < 3; at++) void take('b')
  expect(await held()).toEqual([4, 2])
  give('a')
  give('a')
  expect(await held()).toEqual([2, 2])
  give('a')
  expect(await held()).toEqual([2, 2])
  for (let at = 0; at < 3; at++) {
    give('b')
    await settled()
  }
  vi.advanceTimersByTime(1001)
  give('a')
  expect(await held()).toEqual([4, 0])
})

test('a caller that is alone leaves a share to newcomers, next to callers that keep theirs for long', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const semaphore = createSemaphore({ all: 6, each: 2, leaveMs: 1000 })
  await semaphore.take('b', never)
  await semaphore.take('b', never)
  vi.advanceTimersByTime(1001)
  let got = 0
  for (let at = 0; at < 5; at++) void semaphore.take('a', never).then(() => got++)
  await settled()
  expect(got).toBe(2)
  expect(await Promise.all([semaphore.take('c', never), semaphore.take('c', never)])).toHaveLength(2)
})

test('who gives up while waiting is passed by, and a permit is not lost with it', async () => {
  const semaphore = createSemaphore({ all: 1, each: 1 })
  const first = await semaphore.take('a', never)
  const gone = new AbortController()
  const given = semaphore.take('b', gone.signal)
  const last = semaphore.take('c', never)
  gone.abort(new Error('gone'))
  await expect(given).rejects.toThrow('gone')
  first[Symbol.dispose]()
  const permit = await last
  permit[Symbol.dispose]()
  await expect(semaphore.take('a', gone.signal)).rejects.toThrow('gone')
  expect(await semaphore.take('b', never)).toBeDefined()
})

test('a permit that is given in the moment in which its owner gives up is not lost', async () => {
  const semaphore = createSemaphore({ all: 1, each: 1 })
  const first = await semaphore.take('a', never)
  const gone = new AbortController()
  const second = semaphore.take('b', gone.signal)
  first[Symbol.dispose]()
  gone.abort(new Error('gone'))
  const permit = await second
  permit[Symbol.dispose]()
  expect(await semaphore.take('c', never)).toBeDefined()
})

test('a backlog of one caller delays another by at most one batch', async () => {
  const batches: string[][] = []
  const hold = Promise.withResolvers<void>()
  const limits = { concurrency: 1, most: () => 3, bytes: 100, sizeOf: () => 1 }
  const batch = createBatcher<string, string>(limits, async jobs => {
    batches.push(jobs.map(({ item }) => item))
    await hold.promise
    for (const { item, resolve } of jobs) resolve(item)
  })
  const many = Array.from({ length: 8 }, (_, at) => batch([`a${at}`], { signal: never, share: 'a' }))
  await settled()
  const other = batch(['b0', 'b1'], { signal: never, share: 'b' })
  const nobody = batch(['x0'], { signal: never })
  await settled()
  hold.resolve()
  await Promise.all([...many, other, nobody])
  expect(batches).toEqual([
    ['a0', 'a1', 'a2'],
    ['a3', 'b0', 'x0'],
    ['a4', 'b1', 'a5'],
    ['a6', 'a7'],
  ])
})

test('what does not fit into a batch is the first of the next one', async () => {
  const batches: string[][] = []
  const limits = { concurrency: 1, most: () => 10, bytes: 10, sizeOf: (item: string) => item.length }
  const batch = createBatcher<string, string>(limits, async jobs => {
    batches.push(jobs.map(({ item }) => item))
    for (const { item, resolve } of jobs) resolve(item)
  })
  const large = 'a'.repeat(9)
  await Promise.all([
    batch(['small', large], { signal: never, share: 'a' }),
    batch(['other', 'third'], { signal: never, share: 'b' }),
  ])
  expect(batches).toEqual([['small', 'other'], [large], ['third']])
})

const settled = () => new Promise(resolve => setImmediate(() => setImmediate(resolve)))
