import { Refusal } from '../shared/ask.ts'
import { byId, replaceContent } from '../shared/element.ts'
import { eventsOf } from '../shared/events.ts'
import { pause } from '../shared/pause.ts'
import type { SignIn } from '../shared/sign-in.ts'
import type { Explorer } from './explorer.ts'
import { type ChangeEvent, createRedrawing } from './redrawing.ts'
import type { Scene } from './scene.ts'
import type { Status } from './status.ts'
import type { View } from './view.ts'
import { count } from './words.ts'

/** How long to wait before a stream that ended is requested again, unless the service sends a time. */
const AGAIN_MS = 2_000

/** Codes of the service for a position in the feed that is no longer valid. */
const lost = ['INVALID_CURSOR', 'CURSOR_EXPIRED']

type Parts = { scene: Scene; view: View; status: Status; explorer: Explorer; signIn: SignIn }

/** Keeps the drawing up to date by the feed of changes. */
export function createLive(parts: Parts) {
  const { scene, explorer, signIn } = parts
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

  /** Receives changes until the stream ends. @throws Refusal if there is no stream */
  async function listen(signal: AbortSignal) {
    const from = after === undefined ? '' : `?after=${encodeURIComponent(after)}`
    for await (const { name, data, id } of eventsOf(`/api/v1/events${from}`, { signal })) {
      if (name === 'error') return
      showLive()
      if (missed) void readAgain()
      missed = false
      after = id ?? after
      if (data !== '') redrawing.gather(JSON.parse(data) as ChangeEvent)
    }
  }

  /** Shows why the page is not live. Returns how long to wait; undefined if the key does not allow it. */
  function waitAfter(setback: unknown): number | undefined {
    const refusal = setback instanceof Refusal && setback.status > 0 ? setback : undefined
    show('off', refusal ? `Not live: ${refusal.message}` : 'Connecting …')
    if (refusal?.status === 401) signIn.open(refusal.message)
    if (refusal?.status === 401 || refusal?.status === 403) return undefined
    if (refusal && lost.includes(refusal.code)) after = undefined
    if (after === undefined) missed = true
    return refusal?.retryAfterMs ?? AGAIN_MS
  }

  /** Reads everything again once the stream is open: changes before it are not sent without a valid position. */
  async function readAgain() {
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
    replaceContent(sign, text)
  }

  return { start }
}
