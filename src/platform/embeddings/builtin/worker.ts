import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { TextKind } from '../embedder.ts'
import { loadModel, type Model, type ModelFiles, type Reading, type Task } from './inference.ts'
import type { ModelAnswer, ModelRequest } from './thread.ts'

/** The thread in which the built-in model computes. Queries go first, also between the pieces of a long text. */
const port = parentPort as MessagePort
const { files, reading } = workerData as { files: ModelFiles; reading: Reading }

type Waiting = { readonly id: number; readonly task: Task }

const waiting: Record<TextKind, ModelRequest[]> = { query: [], document: [] }
const started: Partial<Record<TextKind, Waiting>> = {}
let working = false

const model = await loadModel(files, reading)
port.on('message', (request: ModelRequest | 'close') => {
  if (request === 'close') return void close(model)
  waiting[request.kind].push(request)
  if (!working) void work(model)
})
answer('ready')

async function work(model: Model): Promise<void> {
  working = true
  for (let kind = next(); kind; kind = next()) await step(model, kind)
  working = false
}

function next(): TextKind | undefined {
  return (['query', 'document'] as const).find(kind => started[kind] || waiting[kind].length > 0)
}

async function step(model: Model, kind: TextKind): Promise<void> {
  const request = started[kind] ? undefined : waiting[kind].shift()
  const id = started[kind]?.id ?? request?.id ?? 0
  try {
    if (request) started[kind] = { id, task: model.begin(request.prefix, request.text) }
    const embedding = await started[kind]?.task.step()
    if (!embedding) return
    answer({ id, embedding })
  } catch (error) {
    answer({ id, error: error instanceof Error ? error.message : String(error) })
  }
  delete started[kind]
}

async function close(model: Model): Promise<void> {
  await model.release()
  port.close()
}

function answer(message: ModelAnswer): void {
  port.postMessage(message)
}
