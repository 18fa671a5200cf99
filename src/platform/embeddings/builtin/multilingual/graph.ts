import { type Operator, onnxModel, type Tensor } from './onnx.ts'
import { BLOCK, BLOCK_BYTES, type PackedModel } from './packed.ts'

const BITS = 4
const HALF = BLOCK / 2
const SCALE_BYTES = 2
const FLOAT_BYTES = 4
/** Products of 8-bit values, as the package computes them too. */
const ACCURACY = 4

/** The encoder of BERT as operators of onnxruntime that read weights of 4 bits as they are. */
export function toOnnx(model: PackedModel): Buffer {
  const { width, layers } = model
  const graph = startGraph(model)
  let state = placedWords(graph, model)
  for (let layer = 0; layer < layers; layer++) state = layerOf(graph, model, `l${layer}`, state)
  const output = graph.add({ type: 'Identity', inputs: [state], output: 'last_hidden_state' })
  const inputs = ['input_ids', 'attention_mask', 'token_type_ids']
  return onnxModel({
    inputs: inputs.map(name => ({ name, type: 'int64', shape: ['texts', 'tokens'] })),
    outputs: [{ name: output, type: 'float', shape: ['texts', 'tokens', width] }],
    operators: graph.operators,
    tensors: graph.tensors,
  })
}

type Graph = ReturnType<typeof startGraph>

/** Each function adds what it names and returns the name. */
function startGraph(model: PackedModel) {
  const tensors: Tensor[] = []
  const operators: Operator[] = []
  const add = (operator: Operator) => {
    operators.push(operator)
    return operator.output
  }
  const floats = (name: string, shape: readonly number[]) => {
    // Of the vectors of types of text, which BERT has, the first is used.
    const size = shape.reduce((product, each) => product * each, FLOAT_BYTES)
    tensors.push({ name, type: 'float', shape, bytes: model.tensor(name).subarray(0, size) })
    return name
  }
  const integers = (name: string, value: bigint) => {
    const bytes = new Uint8Array(BigInt64Array.of(value).buffer)
    tensors.push({ name, type: 'int64', shape: [1], bytes })
    return name
  }
  const linear = (input: string, name: string, to: number, from: number) => {
    const blocks = from / BLOCK
    const { bytes, scales } = unpack(model.tensor(`${name}.w`), unsigned)
    tensors.push(
      { name: `${name}.w`, type: 'byte', shape: [to, blocks, HALF], bytes },
      { name: `${name}.scales`, type: 'float', shape: [to * blocks], bytes: scales },
    )
    return add({
      type: 'MatMulNBits',
      own: true,
      inputs: [input, `${name}.w`, `${name}.scales`, '', '', floats(`${name}.b`, [to])],
      output: name,
      attributes: { K: from, N: to, bits: BITS, block_size: BLOCK, accuracy_level: ACCURACY },
    })
  }
  return { tensors, operators, add, floats, integers, linear }
}

/** The vector of each token with that of its place. */
function placedWords(
  { tensors, add, floats, integers }: Graph,
  { width, words, positions, epsilon, tensor }: PackedModel,
) {
  const { bytes, scales } = unpack(tensor('emb.word'), signed)
  tensors.push(
    { name: 'emb.word', type: 'int4', shape: [words, width], bytes },
    { name: 'emb.scales', type: 'float', shape: [words, width / BLOCK], bytes: scales },
  )
  const word = add({
    type: 'GatherBlockQuantized',
    own: true,
    inputs: ['emb.word', 'input_ids', 'emb.scales'],
    output: 'word',
    attributes: { block_size: BLOCK, gather_axis: 0, quantize_axis: 1 },
  })
  const shape = add({ type: 'Shape', inputs: ['input_ids'], output: 'shape' })
  const length = add({
    type: 'Slice',
    inputs: [shape, integers('one', 1n), integers('two', 2n)],
    output: 'length',
  })
  const position = add({
    type: 'Slice',
    inputs: [floats('emb.pos', [positions, width]), integers('zero', 0n), length, 'zero'],
    output: 'position',
  })
  const place = add({ type: 'Add', inputs: [position, floats('emb.type', [width])], output: 'place' })
  const placed = add({ type: 'Add', inputs: [word, place], output: 'placed' })
  return add({
    type: 'LayerNormalization',
    inputs: [placed, floats('emb.ln.w', [width]), floats('emb.ln.b', [width])],
    output: 'start',
    attributes: { epsilon: { float: epsilon } },
  })
}

function layerOf(
  { add, floats, linear }: Graph,
  { width, inner, heads, epsilon }: PackedModel,
  layer: string,
  state: string,
) {
  const sumOf = (one: string, other: string, name: string) =>
    add({
      type: 'SkipLayerNormalization',
      own: true,
      inputs: [one, other, floats(`${layer}.${name}.w`, [width]), floats(`${layer}.${name}.b`, [width])],
      output: `${layer}.${name}`,
      attributes: { epsilon: { float: epsilon } },
    })
  const seen = add({
    type: 'MultiHeadAttention',
    own: true,
    inputs: ['q', 'k', 'v'].map(name => linear(state, `${layer}.${name}`, width, width)),
    output: `${layer}.seen`,
    attributes: { num_heads: heads },
  })
  const attended = sumOf(linear(seen, `${layer}.ao`, width, width), state, 'aln')
  const wide = linear(attended, `${layer}.fi`, inner, width)
  const bent = add({ type: 'Gelu', inputs: [wide], output: `${layer}.bent` })
  return sumOf(linear(bent, `${layer}.fo`, width, inner), attended, 'oln')
}

type ToByte = (low: number, high: number) => number

/** As MatMulNBits wants them: 8 is nothing. */
const unsigned: ToByte = (low, high) => low | (high << BITS)
/** As a table of signed numbers. */
const signed: ToByte = (low, high) => ((low ^ 8) & 15) | (((high ^ 8) & 15) << BITS)

/** The weights two by two in their order, and the scales of their blocks as numbers of 32 bits. */
function unpack(packed: Buffer, toByte: ToByte) {
  const blocks = packed.length / BLOCK_BYTES
  const bytes = Buffer.alloc(blocks * HALF)
  const scales = Buffer.alloc(blocks * FLOAT_BYTES)
  const weight = (start: number, at: number) =>
    at < HALF ? (packed[start + at] as number) & 15 : (packed[start + at - HALF] as number) >> BITS
  for (let block = 0; block < blocks; block++) {
    const start = block * BLOCK_BYTES + SCALE_BYTES
    scales.writeFloatLE(halfFloat(packed.readUInt16LE(start - SCALE_BYTES)), block * FLOAT_BYTES)
    for (let pair = 0; pair < HALF; pair++)
      bytes[block * HALF + pair] = toByte(weight(start, 2 * pair), weight(start, 2 * pair + 1))
  }
  return { bytes, scales }
}

/** A number of 16 bits: one for the sign, five for the exponent, ten for the fraction. */
function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15))
}
