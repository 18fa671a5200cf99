import { Refusal } from '../shared/ask.ts'
import type { Door } from '../shared/door.ts'
import { byId, type Child, element, fill } from '../shared/element.ts'

export type Step = { label: string; take: () => void }

/** What the page says about itself: that it works on something, that something failed, and what to do then. */
export function createStatus(door: Door) {
  const [notice, announcer, drawing] = [byId('notice'), byId('announcer'), byId('drawing')]
  const running = new Map<string, AbortController>()

  /**
   * Does something that takes a while. The same thing asked for again ends the one before. A failure is told with a
   * step that tries it again; the answer is then undefined.
   */
  async function attempt<Result>(
    what: string,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result | undefined> {
    running.get(what)?.abort()
    const own = new AbortController()
    running.set(what, own)
    drawing.setAttribute('aria-busy', 'true')
    try {
      return await work(own.signal)
    } catch (error) {
      if (!own.signal.aborted) fail(error, { label: 'Try again', take: () => void attempt(what, work) })
      return undefined
    } finally {
      if (running.get(what) === own) running.delete(what)
      if (running.size === 0) drawing.removeAttribute('aria-busy')
    }
  }

  function fail(error: unknown, again: Step) {
    if (error instanceof Refusal && error.status === 401) return door.open(error.message)
    const message = error instanceof Error ? error.message : String(error)
    tell({ title: 'That did not work', text: message, steps: [again] })
  }

  /** A notice in the middle of the drawing. */
  function tell({ title, text, steps }: { title: string; text: Child; steps: Step[] }) {
    const buttons = steps.map(({ label, take }) =>
      element('button', { type: 'button', click: () => choose(take) }, label),
    )
    fill(
      notice,
      element('h2', {}, title),
      element('p', {}, text),
      element('div', { class: 'steps' }, ...buttons),
    )
    notice.hidden = false
    announce(title)
  }

  function choose(take: () => void) {
    quiet()
    take()
  }

  function quiet() {
    notice.hidden = true
  }

  /** Says something to those who do not see the drawing. */
  const announce = (text: string) => fill(announcer, text)

  return { attempt, tell, quiet, announce }
}

export type Status = ReturnType<typeof createStatus>
