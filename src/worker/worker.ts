import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../platform/log.ts'
import { recordFailure } from '../store/jobs/ending.ts'
import { type JobLane, jobLanes } from '../store/jobs/lanes.ts'
import {
  LEASE_SECONDS,
  type LeasedJob,
  leaseJobs,
  releaseJobs,
  renewLeases,
  reviveJobs,
} from '../store/jobs/leases.ts'
import { nextTenantWithJobs } from '../store/jobs/rounds.ts'
import type { Neo4j } from '../store/neo4j/attempts.ts'

/** What became of a job that could not be done now. */
export type JobFailure = {
  reason: string
  /** Trying again helps; when, if that is known. */
  retryAfterMs: number | null
  /** The job will never succeed as it is. */
  isPermanent: boolean
  /** The fault lies outside of the job: it does not count as an attempt. */
  external: boolean
  /** Nothing that other tenants need is down. */
  ofTenant?: boolean
}

export type WorkerParts = {
  neo4j: Neo4j
  log: Log
  /** Does one job and ends it. What it throws is classified by `classify`. */
  handle: (job: LeasedJob, signal: AbortSignal) => Promise<void>
  classify: (error: unknown) => JobFailure
  /** Which jobs it takes; by default those that ask no model. */
  lane?: JobLane
  onOutcome?: (kind: string, outcome: 'done' | 'retried' | 'failed') => void
  /** How long a worker without work waits before it looks again when nobody wakes it. */
  pollMs?: number
}

type OpenJobs = ReadonlyMap<string, { job: LeasedJob; lost: AbortController }>

/** A batch that was started: how many jobs it took, and when they are all done. */
type Batch = { jobs: number; done: Promise<void> }

const MAXIMUM_ATTEMPTS = 8
const LEASE_MS = LEASE_SECONDS * 1000
/** Batches in progress at once: a slow job holds up its own batch and no other. */
const BATCHES = 4
/** So many failures in a row for no fault of their jobs, and what the jobs need is down. */
const FAULTS_OF_AN_OUTAGE = 8
/** What a worker gives back when it stops is taken up within a second: another looks at least twice in that time. */
const POLL_MS = 500
/** How long one step of the queue itself may take. */
const STEP_MS = 10_000
/** The rest while what the jobs need is down. With the lease it is within the time to take up a dead worker's jobs. */
const REST_WHILE_DOWN_MS = 4_000

/**
 * Takes queued work, tenant by tenant, until it is stopped. Any number of workers in any number of processes share one
 * queue. A stop waits for nothing that can be given back: unfinished jobs are free for others at once.
 */
export class Worker {
  readonly #parts: WorkerParts
  readonly #pollMs: number
  readonly #lane: JobLane
  readonly #owner = randomUUID()
  readonly #stop = new AbortController()
  #nap = new AbortController()
  #lastTenant = ''
  #revived = Number.NEGATIVE_INFINITY
  /** Jobs in a row that failed for no fault of theirs. */
  #externalFaults = 0
  #done: Promise<void> | undefined
  readonly #batches = new Set<{ tenant: string; done: Promise<void> }>()

  constructor(parts: WorkerParts) {
    this.#parts = parts
    this.#pollMs = parts.pollMs ?? POLL_MS
    this.#lane = parts.lane ?? jobLanes.usual
  }

  start() {
    this.#done ??= this.#run()
  }

  /** There is work: do not sleep on. */
  wake() {
    if (!this.#nap.signal.aborted) this.#nap.abort()
  }

  async stop() {
    this.#stop.abort()
    this.wake()
    await this.#done
  }

  /** Runs one batch: the oldest jobs of the next tenant. Returns how many jobs it took. */
  async runBatch(): Promise<number> {
    const { jobs, done } = await this.#startNext()
    await done
    return jobs
  }

  /** Runs the oldest jobs of one tenant. Returns how many it took. */
  async runBatchOf(tenant: string): Promise<number> {
    const { jobs, done } = await this.#start(tenant)
    await done
    return jobs
  }

  /** Makes due and abandoned jobs runnable. */
  revive = () => reviveJobs(this.#caller(), MAXIMUM_ATTEMPTS)

  async #run() {
    while (!this.#stop.signal.aborted) {
      try {
        this.#nap = new AbortController()
        await this.#reviveAtTimes()
        if (this.#batches.size >= BATCHES) await Promise.race(Array.from(this.#batches, ({ done }) => done))
        const { jobs } = await this.#startNext()
        if (jobs === 0 || this.#isDown()) await this.#rest()
      } catch (error) {
        this.#parts.log.warn({ error: nameOf(error) }, 'the queue could not be read; trying again')
        await this.#rest()
      }
    }
    await Promise.all(Array.from(this.#batches, ({ done }) => done))
  }

  /** By the clock, not by the work: a queue that is never empty keeps no job waiting that has become due. */
  async #reviveAtTimes() {
    const now = performance.now()
    if (now - this.#revived < this.#pollMs / 2) return
    await this.revive()
    this.#revived = now
  }

  /** Starts a batch of the next tenant and does not wait for its jobs. */
  async #startNext(): Promise<Batch> {
    const tenant = await this.#nextTenant()
    if (tenant === undefined) return { jobs: 0, done: Promise.resolve() }
    this.#lastTenant = tenant
    return this.#start(tenant)
  }

  async #start(tenant: string): Promise<Batch> {
    const jobs = await leaseJobs(this.#caller(), tenant, this.#owner, this.#lane.jobsALease, this.#lane)
    if (jobs.length === 0) return { jobs: 0, done: Promise.resolve() }
    const done = this.#work(jobs).finally(() => {
      const waited = this.#hasAllBatches(tenant)
      this.#batches.delete(batch)
      if (waited) this.wake()
    })
    const batch = { tenant, done }
    this.#batches.add(batch)
    return { jobs: jobs.length, done }
  }

  /**
   * The next tenant with work that is not paused, by name and around. One whose slow jobs hold batches leaves one to the
   * others.
   */
  async #nextTenant(): Promise<string | undefined> {
    const last = this.#lastTenant
    for (let position = { tenant: last, around: false }; ; ) {
      const next = await nextTenantWithJobs(this.#caller(), position, last, this.#lane)
      if (!next || !(next.paused || this.#hasAllBatches(next.tenant))) return next?.tenant
      if (next.around && next.tenant === last) return undefined
      position = next
    }
  }

  /** Whether it has as many batches as one tenant may have: the next starts when one of them ends. */
  #hasAllBatches(tenant: string) {
    return Array.from(this.#batches).filter(batch => batch.tenant === tenant).length >= BATCHES - 1
  }

  /** A whole batch failed for no fault of its jobs: to continue would only move every job from one wait to the next. */
  #isDown() {
    return this.#externalFaults >= FAULTS_OF_AN_OUTAGE
  }

  /** New work ends it, but not while nothing can be done: each write would start a batch that fails. */
  #rest() {
    const stop = this.#stop.signal
    const [time, signal] = this.#isDown()
      ? [REST_WHILE_DOWN_MS, stop]
      : [this.#pollMs, AbortSignal.any([this.#nap.signal, stop])]
    return sleep(time, undefined, { signal }).catch(() => {})
  }

  /** Works on jobs side by side while their leases are kept; gives back what a stop leaves unfinished. */
  async #work(jobs: readonly LeasedJob[]) {
    const open = new Map(jobs.map(job => [job.id, { job, lost: new AbortController() }]))
    let keptUntil = performance.now() + LEASE_MS
    const heartbeat = setInterval(async () => {
      const asked = performance.now()
      if (await this.#keep(open)) keptUntil = asked + LEASE_MS
      else if (performance.now() > keptUntil) for (const { lost } of open.values()) lost.abort()
    }, LEASE_MS / 3)
    try {
      await Promise.all(
        Array.from(open.values(), async ({ job, lost }) => {
          await this.#attempt(job, AbortSignal.any([lost.signal, this.#stop.signal]))
          open.delete(job.id)
        }),
      )
    } finally {
      clearInterval(heartbeat)
    }
  }

  /** Extends the leases, and lets go of jobs that another has taken over. False when the queue did not answer. */
  async #keep(open: OpenJobs): Promise<boolean> {
    try {
      const held = await renewLeases(
        this.#caller(),
        Array.from(open.values(), ({ job }) => job),
      )
      for (const [id, { lost }] of open) if (!held.has(id)) lost.abort()
      return true
    } catch (error) {
      this.#parts.log.warn({ error: nameOf(error) }, 'leases could not be extended')
      return false
    }
  }

  async #attempt(job: LeasedJob, signal: AbortSignal) {
    const { handle, log, onOutcome } = this.#parts
    try {
      await handle(job, signal)
      onOutcome?.(job.kind, 'done')
      this.#externalFaults = 0
    } catch (error) {
      await this.#recordFailure(job, error).catch(fault =>
        log.warn({ job: job.id, error: nameOf(fault) }, 'a job could not be recorded; its lease will end'),
      )
    }
  }

  async #recordFailure(job: LeasedJob, error: unknown) {
    const { classify, log, onOutcome } = this.#parts
    if (this.#stop.signal.aborted) return void (await releaseJobs(this.#caller(), [job]))
    const failure = classify(error)
    this.#externalFaults = failure.external && !failure.ofTenant ? this.#externalFaults + 1 : 0
    const last = failure.isPermanent || (!failure.external && job.attempt >= MAXIMUM_ATTEMPTS)
    const retryInMs = last ? null : (failure.retryAfterMs ?? backoff(job.attempt))
    log.warn({ job: job.id, attempt: job.attempt, reason: failure.reason, retryInMs }, 'a job was not done')
    onOutcome?.(job.kind, last ? 'failed' : 'retried')
    await recordFailure(this.#caller(), job, {
      reason: failure.reason,
      retryInMs,
      countsAsAttempt: !failure.external,
    })
  }

  #caller() {
    return { app: { neo4j: this.#parts.neo4j }, signal: AbortSignal.timeout(STEP_MS) }
  }
}

/** From one second to five minutes, doubling, with full jitter over the upper half. */
const backoff = (attempt: number) => Math.min(300_000, 1000 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)

const nameOf = (error: unknown) => (error instanceof Error ? error.name : String(error))
