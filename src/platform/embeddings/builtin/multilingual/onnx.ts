/** Writes models in ONNX, which are Protocol Buffers (onnx.proto3 of github.com/onnx/onnx). Only what the graph needs. */
type Field = readonly [number: number, value: number | string | Uint8Array | { readonly float: number }]

const DOMAIN = 'com.microsoft'
const VERSIONS = { file: 10, operators: 21 }
const TYPES = { float: 1, byte: 2, int64: 7, int4: 22 } as const
const ATTRIBUTES = { float: 1, integer: 2 } as const

export type Tensor = {
  readonly name: string
  readonly type: keyof typeof TYPES
  readonly shape: readonly number[]
  readonly bytes: Uint8Array
}

/** A dimension is a number or the name of one that differs from call to call. */
export type Port = {
  readonly name: string
  readonly type: keyof typeof TYPES
  readonly shape: readonly (number | string)[]
}

export type Operator = {
  readonly type: string
  readonly inputs: readonly string[]
  readonly output: string
  readonly attributes?: Readonly<Record<string, number | { readonly float: number }>>
  /** One of onnxruntime, and none of the standard. */
  readonly own?: boolean
}

export function onnxModel(graph: {
  readonly inputs: readonly Port[]
  readonly outputs: readonly Port[]
  readonly operators: readonly Operator[]
  readonly tensors: readonly Tensor[]
}): Buffer {
  return message([
    [1, VERSIONS.file],
    [
      8,
      message([
        [1, ''],
        [2, VERSIONS.operators],
      ]),
    ],
    [
      8,
      message([
        [1, DOMAIN],
        [2, 1],
      ]),
    ],
    [
      7,
      message([
        ...graph.operators.map((operator): Field => [1, operatorOf(operator)]),
        [2, 'model'],
        ...graph.tensors.map((tensor): Field => [5, tensorOf(tensor)]),
        ...graph.inputs.map((port): Field => [11, portOf(port)]),
        ...graph.outputs.map((port): Field => [12, portOf(port)]),
      ]),
    ],
  ])
}

const operatorOf = ({ type, inputs, output, attributes = {}, own = false }: Operator) =>
  message([
    ...inputs.map((input): Field => [1, input]),
    [2, output],
    [4, type],
    ...Object.entries(attributes).map(([name, value]): Field => [5, attributeOf(name, value)]),
    [7, own ? DOMAIN : ''],
  ])

const attributeOf = (name: string, value: number | { readonly float: number }) =>
  message(
    typeof value === 'number'
      ? [
          [1, name],
          [3, value],
          [20, ATTRIBUTES.integer],
        ]
      : [
          [1, name],
          [2, value],
          [20, ATTRIBUTES.float],
        ],
  )

const tensorOf = ({ name, type, shape, bytes }: Tensor) =>
  message([...shape.map((size): Field => [1, size]), [2, TYPES[type]], [8, name], [9, bytes]])

const portOf = ({ name, type, shape }: Port) => {
  const sizes = shape.map((size): Field => [1, message([[typeof size === 'number' ? 1 : 2, size]])])
  return message([
    [1, name],
    [
      2,
      message([
        [
          1,
          message([
            [1, TYPES[type]],
            [2, message(sizes)],
          ]),
        ],
      ]),
    ],
  ])
}

function message(fields: readonly Field[]): Buffer {
  return Buffer.concat(fields.flatMap(([number, value]) => fieldOf(number, value)))
}

const WIRE = { varint: 0, bytes: 2, float: 5 }

function fieldOf(number: number, value: Field[1]): Uint8Array[] {
  if (typeof value === 'number') return [varint((number << 3) | WIRE.varint), varint(value)]
  if (typeof value === 'string' || value instanceof Uint8Array) {
    const bytes = Buffer.from(value)
    return [varint((number << 3) | WIRE.bytes), varint(bytes.length), bytes]
  }
  const float = Buffer.alloc(4)
  float.writeFloatLE(value.float)
  return [varint((number << 3) | WIRE.float), float]
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left > 0x7f; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80)
  return Buffer.from([...bytes, left])
}
