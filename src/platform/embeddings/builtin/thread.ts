import { once } from 'node:events'
import { extname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../../thread-room.ts'
import { type EmbedderHealth, type Embedding, EmbeddingUnavailable, type TextKind } from '../embedder.ts'
import type { Inputs, ModelFiles } from './inference.ts'

/** In the order of their precedence: callers wait for a query and for the texts of a write, and nobody for the queue. */
export const lanes = ['query', 'document', 'queued'] as const satisfies readonly (TextKind | 'queued')[]
export type Lane = (typeof lanes)[number]

export type ModelRequest = {
  readonly id: number
  readonly lane: Lane
  readonly text: string
}
export type ModelAnswer =
  | 'ready'
  | { readonly id: number; readonly embedding: Embedding }
  | { readonly id: number; readonly error: string }

export type StartWorker = (files: ModelFiles, reading: Inputs) => Worker

/** The worker lies next to this file, as TypeScript in the sources and as JavaScript in the package. */
export const startWorker: StartWorker = (files, reading) =>
  startThread(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url), {
    workerData: { files, reading },
    name: 'embeddings',
  })

const LONGEST_PAUSE_MS = 30_000
/** Longer than the longest piece of a text takes. */
const CLOSE_MS = 5_000

export type Thread = AsyncDisposable & {
  /** @throws EmbeddingUnavailable when the worker fails, or has no vector for the text. */
  embed(request: Omit<ModelRequest, 'id'>): Promise<Embedding>
  health(): EmbedderHealth
}

/**
 * The worker in which the model computes. When it crashes, what it had to do fails and it is started again: at once
 * the first time, after growing pauses while it fails again.
 * @throws the reason why the worker does not start the first time.
 */
export async function createThread(start: () => Worker): Promise<Thread> {
  const pending = new Map<number, PromiseWithResolvers<Embedding>>()
  let lastId = 0
  let failures = 0
  let closing = false
  let retry: NodeJS.Timeout | undefined
  let retryAt = 0
  let worker: Worker | undefined
  await attach(start())

  function attach(launched: Worker): Promise<void> {
    worker = launched
    launched.on('error', () => {})
    launched.once('exit', () => lose(launched))
    launched.on('message', receive)
    return ready(launched)
  }

  function relaunch() {
    try {
      attach(start()).catch(() => {})
    } catch {
      lose(undefined)
    }
  }

  function receive(answer: ModelAnswer): void {
    if (answer === 'ready') return
    const job = pending.get(answer.id)
    pending.delete(answer.id)
    failures = 0
    if ('embedding' in answer) job?.resolve(answer.embedding)
    else job?.reject(new EmbeddingUnavailable('the model has no vector for the text', { itemFault: true }))
  }

  function lose(lost: Worker | undefined): void {
    if (worker !== lost) return
    worker = undefined
    const pauseMs = failures === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, 250 * 2 ** failures)
    failures++
    retryAt = Date.now() + pauseMs
    for (const job of pending.values()) job.reject(away())
    pending.clear()
    if (!closing) retry = setTimeout(relaunch, pauseMs).unref()
  }

  const away = () =>
    closing
      ? new EmbeddingUnavailable('the service is stopping')
      : new EmbeddingUnavailable('the thread of the built-in model has stopped and is started again', {
          retryAfterMs: Math.max(250, retryAt - Date.now()),
        })

  return {
    embed({ lane, text }) {
      if (!worker || closing) return Promise.reject(away())
      const id = ++lastId
      const job = Promise.withResolvers<Embedding>()
      pending.set(id, job)
      worker.postMessage({ id, lane, text } satisfies ModelRequest)
      return job.promise
    },
    health: () =>
      failures === 0 ? { status: 'up', detail: null } : { status: 'degraded', detail: away().message },
    async [Symbol.asyncDispose]() {
      if (closing) return
      closing = true
      clearTimeout(retry)
      if (worker) await close(worker)
    },
  }
}

/** Resolves when the worker has loaded the model. */
async function ready(worker: Worker): Promise<void> {
  const stopped = new AbortController()
  worker.once('exit', () => stopped.abort(new Error('the worker has stopped while it was starting')))
  await once(worker, 'message', { signal: stopped.signal }).catch(error => {
    throw stopped.signal.aborted ? stopped.signal.reason : error
  })
}

async function close(worker: Worker): Promise<void> {
  const exited = once(worker, 'exit')
  worker.postMessage('close')
  const late = setTimeout(() => void worker.terminate(), CLOSE_MS)
  await exited
  clearTimeout(late)
}
