import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type Inputs, loadModel, type Model, type ModelFiles, type Task } from './inference.ts'
import { type Lane, lanes, type ModelAnswer, type ModelRequest } from './thread.ts'

/**
 * The thread in which the built-in model computes, on one core at most and behind the threads that answer requests. The
 * lanes take precedence in their order, also between the pieces of a long text.
 */
const port = parentPort as MessagePort
const { files, reading } = workerData as { files: ModelFiles; reading: Inputs }

/** Where all cores are busy, it gets half of what another thread gets: less, and writes wait for their vectors in vain. */
const NICE = 3
const LOWEST = 19

type Job = { readonly request: ModelRequest; task?: Task }

const waiting: Record<Lane, Job[]> = { query: [], document: [], queued: [] }
let working = false

lowerPriority()

const model = await loadModel(files, reading)
port.on('message', (request: ModelRequest | 'close') => {
  if (request === 'close') return void close(model)
  waiting[request.lane].push({ request })
  if (!working) void work(model)
})
answer('ready')

async function work(model: Model): Promise<void> {
  working = true
  for (let lane = next(); lane; lane = next()) await step(model, lane)
  working = false
}

function next(): Lane | undefined {
  return lanes.find(lane => waiting[lane].length > 0)
}

/** One piece of a text; then the others of its lane have a turn, so that a long text holds up no short one. */
async function step(model: Model, lane: Lane): Promise<void> {
  const job = waiting[lane].shift() as Job
  const { id, text } = job.request
  try {
    job.task ??= model.begin(lane === 'query' ? 'query' : 'document', text)
    const embedding = await job.task.step()
    if (embedding) answer({ id, embedding })
    else waiting[lane].push(job)
  } catch (error) {
    answer({ id, error: error instanceof Error ? error.message : String(error) })
  }
}

async function close(model: Model): Promise<void> {
  await model.release()
  port.close()
}

/** Only Linux has a priority of a single thread. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(thread, Math.min(LOWEST, getPriority() + NICE))
  } catch {
    // A sandbox may forbid it, and the model works without it.
  }
}

function answer(message: ModelAnswer): void {
  port.postMessage(message)
}
