/**
 * Jobs that ask a model wait in a state of their own, and a worker of their own takes them: a slow model holds up nothing
 * else. Callers see one state.
 */
const WAITING_FOR_MODEL = 'queued_for_model'

export type JobLane = { readonly queued: 'queued' | typeof WAITING_FOR_MODEL; readonly jobsALease: number }

export const jobLanes = {
  /** One statement of discovery has room for its jobs. */
  usual: { queued: 'queued', jobsALease: 32 },
  model: { queued: WAITING_FOR_MODEL, jobsALease: 4 },
} as const satisfies Record<string, JobLane>

const modelKinds: readonly string[] = ['extract', 'judge']

/** The state in which a job of a kind waits for a worker. */
export const queuedAs = (kind: string) => (modelKinds.includes(kind) ? jobLanes.model : jobLanes.usual).queued

/** The same of a job `j`, as an expression. */
export const queuedAgain = (j: string) =>
  `CASE WHEN ${j}.kind IN [${modelKinds.map(kind => `'${kind}'`).join(', ')}] THEN '${WAITING_FOR_MODEL}' ELSE 'queued' END`

/** The state of a job `j` as callers see it, as an expression. */
export const shownState = (j: string) =>
  `CASE ${j}.state WHEN '${WAITING_FOR_MODEL}' THEN 'queued' ELSE ${j}.state END`

/** The states of jobs that are not done. */
export const openStates = ['queued', WAITING_FOR_MODEL, 'waiting', 'running', 'failed'] as const

/** All states in which a job is that callers see in one state. */
export const statesShownAs = (state: string) => (state === 'queued' ? ['queued', WAITING_FOR_MODEL] : [state])
