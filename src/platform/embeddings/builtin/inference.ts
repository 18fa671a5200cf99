import { readFile } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import type { InferenceSession } from 'onnxruntime-node'
import type { Embedding, TextKind } from '../embedder.ts'
import { toUnit } from '../unit.ts'
import { createMean } from './average.ts'

export type ModelFiles = { readonly weights: string; readonly tokenizer: string }

/** How the built-in model reads a text. */
export type Inputs = {
  readonly dimensions: number
  /** Tokens that the model reads at once, including those at both ends and the prefix. */
  readonly tokens: number
  /** Pieces of that length that are read of a text. What lies beyond is cut off. */
  readonly pieces: number
  /** What stands before each kind of text. */
  readonly prefix: Partial<Record<TextKind, string>>
  /** Subtracted from every vector of the kind; `undefined` leaves the vectors as the model makes them. */
  readonly mean: Readonly<Record<TextKind, Float32Array>> | undefined
}

/** A text that is being embedded, one piece at a time. */
export type Task = {
  /** Embeds the next piece. Returns the embedding of the text after the last one. */
  step(): Promise<Embedding | undefined>
}

export type Model = {
  begin(kind: TextKind, text: string): Task
  release(): Promise<void>
}

/**
 * One thread computes, so that the other processors serve requests and the database. Two threads answer a single
 * question hardly sooner and take twice the processor time.
 */
const SESSION: InferenceSession.SessionOptions = {
  executionMode: 'sequential',
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  logSeverityLevel: 3,
}

/** Loads the model. Texts are computed one by one: in a batch, 8-bit weights let a text change the vectors of others. */
export async function loadModel({ weights, tokenizer }: ModelFiles, reading: Inputs): Promise<Model> {
  const { default: ort } = await import('onnxruntime-node')
  const session = await ort.InferenceSession.create(weights, SESSION)
  const tokens = new Tokenizer(JSON.parse(await readFile(tokenizer, 'utf8')), {})
  const idsOf = (text: string) => tokens.encode(text, { add_special_tokens: false }).ids
  const [start, end] = tokens.encode('').ids as [number, number]

  async function vectorOf(ids: readonly number[], kind: TextKind): Promise<Float32Array> {
    const shape = [1, ids.length]
    const input = (values: BigInt64Array) => new ort.Tensor('int64', values, shape)
    const output = await session.run({
      input_ids: input(BigInt64Array.from(ids, BigInt)),
      attention_mask: input(new BigInt64Array(ids.length).fill(1n)),
      token_type_ids: input(new BigInt64Array(ids.length)),
    })
    const states = output.last_hidden_state?.data as Float32Array
    return centre(averageRows(states, reading.dimensions), reading.dimensions, reading.mean?.[kind])
  }

  return {
    begin(kind, text) {
      // A blank at its end is a token of its own in some vocabularies, and part of the next word in texts.
      const before = idsOf((reading.prefix[kind] ?? '').trimEnd())
      const { pieces, truncated } = cut(idsOf(text), reading.tokens - before.length - 2, reading.pieces)
      const mean = createMean(reading.dimensions)
      return {
        async step() {
          const piece = pieces.shift() ?? []
          mean.add(await vectorOf([start, ...before, ...piece, end], kind))
          if (pieces.length > 0) return undefined
          return { vector: toUnit(mean.value(), reading.dimensions), truncated }
        },
      }
    },
    release: () => session.release(),
  }
}

/** Pieces of about the same length, in order: a last one of a few words would weigh as much as the others. */
function cut(ids: readonly number[], room: number, most: number) {
  const read = ids.slice(0, room * most)
  const count = Math.max(1, Math.ceil(read.length / room))
  const bounds = Array.from({ length: count + 1 }, (_, at) => Math.round((at * read.length) / count))
  const pieces = bounds.slice(1).map((end, at) => read.slice(bounds[at], end))
  return { pieces, truncated: read.length < ids.length }
}

function averageRows(rows: Float32Array, dimensions: number): Float64Array {
  const mean = createMean(dimensions)
  for (let at = 0; at < rows.length; at += dimensions) mean.add(rows.subarray(at, at + dimensions))
  return mean.value()
}

function centre(values: Float64Array, dimensions: number, mean: Float32Array | undefined): Float32Array {
  const unit = toUnit(values, dimensions)
  if (!mean) return unit
  return toUnit(
    unit.map((value, at) => value - (mean[at] ?? 0)),
    dimensions,
  )
}
