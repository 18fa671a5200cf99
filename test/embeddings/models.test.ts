import { describe, expect, test } from 'vitest'
import { defaultThreshold, traitsOf } from '../../src/platform/embeddings/models.ts'

test('a model is known by the start of its name, with any publisher', () => {
  expect(traitsOf('openai/text-embedding-3-small')).toMatchObject({ dimensions: 1536, shortens: true })
  expect(traitsOf('nomic-embed-text:v1.5').prefix).toEqual({
    document: 'search_document: ',
    query: 'search_query: ',
  })
  expect(traitsOf('intfloat/e5-small-v2').prefix).toEqual({ document: 'passage: ', query: 'query: ' })
  expect(traitsOf('a-model-of-tomorrow')).toEqual({})
})

describe('memories are connected from a cosine that suits the model', () => {
  test.each([
    ['centred-e5-small-v2-q@7d9092cb+onnxruntime1', 0.62],
    ['intfloat/e5-small-v2', 0.88],
    ['BAAI/bge-small-en-v1.5', 0.82],
    ['Xenova/all-MiniLM-L6-v2', 0.7],
    ['text-embedding-3-small', 0.7],
    ['lexical-v1', 0.7],
    ['a-model-of-tomorrow', 0.7],
  ])('%s: %d', (model, threshold) => {
    expect(defaultThreshold({ model })).toBe(threshold)
  })
})
