import { Refusal } from '../shared/ask.ts'
import { byId, element, replaceContent } from '../shared/element.ts'
import type { SignIn } from '../shared/sign-in.ts'

export type NoticeAction = { label: string; take: () => void }

/** Shows that the page is busy, that something failed, and what to do then. */
export function createStatus(signIn: SignIn) {
  const [notice, announcer, drawing] = [byId('notice'), byId('announcer'), byId('drawing')]
  const running = new Map<string, AbortController>()
  let failed: string | undefined
  document.addEventListener('keydown', dismissByKey, { capture: true })

  /**
   * Runs a task. A new attempt of the same name ends the previous one. A failure is shown with a button to try again,
   * until an attempt of this name succeeds; the result is then undefined.
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
      const result = await work(own.signal)
      if (failed === what) quiet()
      return result
    } catch (error) {
      if (!own.signal.aborted) fail(what, error, () => void attempt(what, work))
      return undefined
    } finally {
      if (running.get(what) === own) running.delete(what)
      if (running.size === 0) drawing.removeAttribute('aria-busy')
    }
  }

  const isRunning = (what: string) => running.has(what)

  /** Ends the attempt of this name, and hides its failure. */
  function end(what: string) {
    running.get(what)?.abort()
    running.delete(what)
    if (failed === what) quiet()
  }

  function endAll() {
    for (const what of [...running.keys()]) end(what)
    quiet()
  }

  function fail(what: string, error: unknown, again: () => void) {
    if (error instanceof Refusal && error.status === 401) return signIn.open(error.message)
    const message = error instanceof Error ? error.message : String(error)
    show({ title: 'That did not work', text: message, steps: [{ label: 'Try again', take: again }] })
    failed = what
  }

  /** A notice in the middle of the drawing, until a step is chosen or it is dismissed. */
  function show({ title, text, steps }: { title: string; text: string; steps: NoticeAction[] }) {
    const all = [...steps, { label: 'Dismiss', take: () => {} }]
    const buttons = all.map(({ label, take }) =>
      element('button', { type: 'button', click: () => choose(take) }, label),
    )
    failed = undefined
    replaceContent(
      notice,
      element('h2', {}, title),
      element('p', {}, text),
      element('div', { class: 'steps' }, ...buttons),
    )
    notice.hidden = false
    announce(`${title}. ${text}`)
  }

  /** Before anything else hears of the key; a dialogue that is open has it for itself. */
  function dismissByKey(event: KeyboardEvent) {
    if (event.key !== 'Escape' || notice.hidden || document.querySelector('dialog[open]')) return
    event.preventDefault()
    event.stopPropagation()
    quiet()
  }

  function choose(take: () => void) {
    quiet()
    take()
  }

  function quiet() {
    const hadFocus = notice.contains(document.activeElement)
    failed = undefined
    notice.hidden = true
    if (hadFocus) byId('canvas').focus()
  }

  /** Announces a text to screen readers. */
  const announce = (text: string) => replaceContent(announcer, text)

  return { attempt, isRunning, end, endAll, show, quiet, announce }
}

export type Status = ReturnType<typeof createStatus>
