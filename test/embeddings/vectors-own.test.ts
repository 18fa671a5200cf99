import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ownVector } from '../../src/store/embeddings/vectors.ts'
import { remember } from '../support/seed.ts'
import { startService } from '../support/service.ts'
import { exactCosine } from '../support/vectors.ts'

const own = (id: string, values: Float32Array, tenant = 'one') =>
  ownVector(tenant, id, values).asTypedArray() as Float32Array

const direction = fc
  .float32Array({ minLength: 64, maxLength: 64, noNaN: true, min: -1, max: 1 })
  .filter(values => Math.hypot(...values) > 0.1)

test('a vector of its own is near enough to be the same, and stays when it is made again', () => {
  fc.assert(
    fc.property(fc.uuid(), direction, direction, (id, values, other) => {
      const made = own(id, values)
      expect(own(id, made)).toEqual(made)
      expect(
        Math.abs(exactCosine([...made], [...other]) - exactCosine([...values], [...other])),
      ).toBeLessThan(2e-6)
    }),
  )
})

test('no two memories have the same one', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), direction, (id, other, values) => {
      fc.pre(id !== other && values.filter(value => value !== 0).length >= 32)
      expect(own(id, values)).not.toEqual(own(other, values))
      expect(own(id, values)).not.toEqual(own(id, values, 'another'))
    }),
  )
})

test('memories of one text have different vectors, that of a changed one included', async () => {
  // Of many words: a vector of two values that are not zero has bits for two, and one pair in 256 would be alike.
  const text =
    'the cat sleeps on the warm windowsill while rain falls over the quiet garden behind our old house'
  await using service = await startService()
  const { client } = service
  const [first, second, third] = await remember(client, [text, text, 'another text'])
  await client.updateMemory({ id: third!.id, content: text })
  const vectors = await Promise.all(
    [first, second, third].map(
      async memory => (await client.getMemory({ id: memory!.id, include_embedding: true })).embedding.vector,
    ),
  )
  for (const [one, other] of [
    [0, 1],
    [0, 2],
    [1, 2],
  ] as const) {
    expect(vectors[one]).not.toEqual(vectors[other])
    expect(exactCosine(vectors[one]!, vectors[other]!)).toBeCloseTo(1, 9)
  }
})
