import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export const TINY = { dimensions: 4, longest: 8 }

const WORDS = ['[PAD]', '[UNK]', 'cat', 'kitten', 'car', 'truck', 'the', 'a']
/** One row a word: cats and cars point in different directions. */
const ROWS = [
  [0, 0, 0, 0.01],
  [0, 0, 0, 1],
  [3, 0, 0, 0],
  [2.9, 0, 0.4, 0],
  [0, 3, 0, 0],
  [0, 2.9, 0.4, 0],
  [0, 0, 0.1, 0.1],
  [0, 0, 0.1, 0.1],
]

/** Writes a sentence-transformer of eight words: the vector of a word is its row in a table. */
export async function writeTinyModel(folder: string): Promise<void> {
  await mkdir(join(folder, 'onnx'), { recursive: true })
  const vocab = Object.fromEntries(WORDS.map((word, id) => [word, id]))
  const json = {
    'config.json': {
      model_type: 'bert',
      architectures: ['BertModel'],
      hidden_size: TINY.dimensions,
      max_position_embeddings: TINY.longest,
    },
    'tokenizer_config.json': { tokenizer_class: 'BertTokenizer', pad_token: '[PAD]', unk_token: '[UNK]' },
    'tokenizer.json': {
      version: '1.0',
      added_tokens: [],
      normalizer: { type: 'Lowercase' },
      pre_tokenizer: { type: 'Whitespace' },
      post_processor: null,
      decoder: null,
      model: { type: 'WordLevel', vocab, unk_token: '[UNK]' },
    },
  }
  for (const [file, content] of Object.entries(json))
    await writeFile(join(folder, file), JSON.stringify(content))
  await writeFile(join(folder, 'onnx', 'model.onnx'), onnxModel())
}

/** `last_hidden_state = Gather(table, input_ids)`, in the fields of onnx.proto that a runtime insists on. */
function onnxModel(): Buffer {
  const table = message(
    integer(1, WORDS.length),
    integer(1, TINY.dimensions),
    integer(2, FLOAT),
    text(8, 'table'),
    field(9, Buffer.from(Float32Array.from(ROWS.flat()).buffer)),
  )
  const gather = message(
    text(1, 'table'),
    text(1, 'input_ids'),
    text(2, 'last_hidden_state'),
    text(4, 'Gather'),
  )
  const graph = message(
    field(1, gather),
    text(2, 'tiny'),
    field(5, table),
    field(11, tensor('input_ids', INT64, ['batch', 'words'])),
    field(11, tensor('attention_mask', INT64, ['batch', 'words'])),
    field(12, tensor('last_hidden_state', FLOAT, ['batch', 'words', TINY.dimensions])),
  )
  const operators = message(text(1, ''), integer(2, 17))
  return message(integer(1, 8), text(2, 'mnemograph'), field(7, graph), field(8, operators))
}

const FLOAT = 1
const INT64 = 7

function tensor(name: string, type: number, shape: (string | number)[]): Buffer {
  const sizes = shape.map(size => field(1, typeof size === 'number' ? integer(1, size) : text(2, size)))
  return message(text(1, name), field(2, field(1, message(integer(1, type), field(2, message(...sizes))))))
}

const message = (...parts: Buffer[]) => Buffer.concat(parts)
const field = (number: number, bytes: Buffer) =>
  message(varint((number << 3) | 2), varint(bytes.length), bytes)
const text = (number: number, value: string) => field(number, Buffer.from(value))
const integer = (number: number, value: number) => message(varint(number << 3), varint(value))

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
  return Buffer.from([...bytes, rest])
}
