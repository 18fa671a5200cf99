import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { NoRoomError, threadFault } from '../../src/platform/thread-room.ts'
import { toJobFailure } from '../../src/service/jobs/handlers.ts'

const PRLIMIT = '/usr/bin/prlimit'
const THREADS = new URL('../../src/platform/thread-room.ts', import.meta.url)
const WORKER = new URL('../../src/service/graph/communities/worker.ts', import.meta.url)

/** Lowers the limit of its own process to what is in use and `left` MB, and starts a thread. */
const program = (left: number, heap: number) => `
  import { execFileSync } from 'node:child_process'
  import { readFileSync } from 'node:fs'
  const { startThread } = await import(${JSON.stringify(THREADS.href)})
  const used = Number(/VmSize:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
  execFileSync('${PRLIMIT}', ['--pid', String(process.pid), '--as=' + (used * 1024 + ${left} * 2 ** 20)])
  const start = () =>
    startThread(new URL(${JSON.stringify(WORKER.href)}), { name: 'communities', execArgv: [], resourceLimits: { maxOldGenerationSizeMb: ${heap} } })
  for (let at = 0; at < 3; at++)
    try {
      const worker = start()
      worker.on('error', error => console.log('failed:', error.message))
      await new Promise(resolve => worker.once('online', resolve).once('exit', resolve))
      await worker.terminate()
      console.log('started')
    } catch (error) {
      console.log(error.name, error.message)
    }
  console.log('goes on')`

const run = (left: number, heap: number) =>
  spawnSync(process.execPath, ['--input-type=module', '-e', program(left, heap)], { encoding: 'utf8' })

// With much less the process itself may not go on, whatever it starts.
test.skipIf(!existsSync(PRLIMIT)).each([
  [300, 64],
  [600, 64],
  [1_500, 2_048],
])(
  'a thread that has no address space is refused with the reason, and the process goes on: %i MB',
  (left, heap) => {
    const { status, stdout } = run(left, heap)
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /NoRoomError the thread `communities` needs \d+ MB of address space: .* Raise the limit/,
    )
    expect(stdout).not.toContain('started')
    expect(stdout).toContain('goes on')
  },
)

test.skipIf(!existsSync(PRLIMIT))('a thread for which there is room starts', () => {
  expect(run(64_000, 64).stdout).toBe('started\nstarted\nstarted\ngoes on\n')
})

test.each([
  new NoRoomError('the thread needs more'),
  threadFault(
    new RangeError('WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance'),
  ),
  threadFault(Object.assign(new Error('Failed to start'), { code: 'ERR_WORKER_INIT_FAILED' })),
])('a job whose thread does not start fails with the reason, and is tried again later: %s', error => {
  const log = { error: () => expect.unreachable() } as unknown as Parameters<typeof toJobFailure>[1]
  expect(toJobFailure(error, log)).toMatchObject({
    reason: error.message,
    isPermanent: false,
    external: false,
    retryAfterMs: expect.any(Number),
  })
})
