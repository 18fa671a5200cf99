import { Refusal } from '../shared/ask.ts'
import type { Door } from '../shared/door.ts'
import { byId, fill } from '../shared/element.ts'
import { eventsOf } from '../shared/events.ts'
import { pause } from '../shared/pause.ts'
import type { Explorer } from './explorer.ts'
import { createRedrawing, type Told } from './redrawing.ts'
import type { Scene } from './scene.ts'
import type { Status } from './status.ts'
import type { View } from './view.ts'
import { count } from './words.ts'

/** How long it waits before it asks again for a stream that ended, unless the service says how long. */
const AGAIN_MS = 2_000

/** By these the service says that the place in the feed is of no use any more. */
const lost = ['INVALID_CURSOR', 'CURSOR_EXPIRED']

type Parts = { scene: Scene; view: View; status: Status; explorer: Explorer; door: Door }

/** Keeps the drawing up to date by the feed of changes. */
export function createLive(parts: Parts) {
  const { scene, explorer, door } = parts
  const sign = byId('live')
  const redrawing = createRedrawing(parts, changes => {
    drawn += changes
    if (sign.classList.contains('on')) showLive()
  })
  let following = new AbortController()
  let after: string | undefined
  let missed = false
  let drawn = 0

  /** Follows the tenant whose key is given now, from now on. */
  function start() {
    following.abort()
    following = new AbortController()
    after = undefined
    missed = false
    drawn = 0
    redrawing.forget()
    void follow(following.signal)
  }

  async function follow(signal: AbortSignal) {
    while (!signal.aborted) {
      const setback = await listen(signal).catch((error: unknown) => error)
      if (signal.aborted) return
      const wait = waitAfter(setback)
      if (wait === undefined) return
      await pause(wait)
    }
  }

  /** Hears of the changes until the stream ends. @throws Refusal when there is none */
  async function listen(signal: AbortSignal) {
    const place = after === undefined ? '' : `?after=${encodeURIComponent(after)}`
    for await (const { name, data, id } of eventsOf(`/api/v1/events${place}`, { signal })) {
      if (name === 'error') return
      showLive()
      if (missed) void readAnew()
      missed = false
      after = id ?? after
      if (data !== '') redrawing.gather(JSON.parse(data) as Told)
    }
  }

  /** Says what keeps it from being live. Answers how long to wait; undefined when it is of no use with this key. */
  function waitAfter(setback: unknown): number | undefined {
    const refusal = setback instanceof Refusal && setback.status > 0 ? setback : undefined
    show('off', refusal ? `Not live: ${refusal.message}` : 'Connecting …')
    if (refusal?.status === 401) door.open(refusal.message)
    if (refusal?.status === 401 || refusal?.status === 403) return undefined
    if (refusal && lost.includes(refusal.code)) after = undefined
    if (after === undefined) missed = true
    return refusal?.retryAfterMs ?? AGAIN_MS
  }

  /** What was missed without a place in the feed is never told. Reads it once the stream is there, so that nothing comes in between. */
  async function readAnew() {
    await explorer.readAnew()
    const { selected } = scene.state
    if (selected) void explorer.look(selected)
  }

  const showLive = () => show('on', drawn === 0 ? 'Live' : `Live · ${count(drawn, 'change')}`)

  /** Each writing is read out: the same is not written again. */
  function show(state: 'on' | 'off', text: string) {
    sign.classList.toggle('on', state === 'on')
    if (sign.textContent === text) return
    sign.title = text
    fill(sign, text)
  }

  return { start }
}
