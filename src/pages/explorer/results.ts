import { byId, type Child, element, replaceContent } from '../shared/element.ts'
import type { Explorer } from './explorer.ts'
import type { SearchState } from './listeners.ts'
import type { Scene } from './scene.ts'
import type { Hit, Memory, SearchType } from './types.ts'
import { count, formatFraction, memories, titleOf, whenever } from './words.ts'

/** The search box and what it finds: each hit with its relevance and why it has it. */
export function createResults(scene: Scene, explorer: Explorer) {
  const form = byId<HTMLFormElement>('search')
  const query = byId<HTMLInputElement>('query')
  const panel = byId('results')

  form.addEventListener('submit', event => {
    event.preventDefault()
    const text = query.value.trim()
    if (text === '') void explorer.begin()
    else void explorer.find(text, new FormData(form).get('kind') as SearchType)
  })
  for (const kind of form.querySelectorAll('input[name=kind]'))
    kind.addEventListener('change', () => query.value.trim() !== '' && form.requestSubmit())
  explorer.listeners.results = show
  scene.on(change => change === 'selection' && mark())

  function show(outcome: SearchState) {
    render(outcome)
    mark()
  }

  function render(outcome: SearchState) {
    if (outcome.kind === 'none') return replaceContent(panel)
    if (outcome.kind === 'waiting') return replaceContent(panel, heading('Searching …'), ...skeletons())
    if (outcome.kind === 'failed') return replaceContent(panel, heading('Nothing was found out'))
    if (outcome.kind === 'newest')
      return replaceContent(
        panel,
        heading('Newest memories'),
        note(
          outcome.total === 0
            ? 'There are none yet.'
            : `Of ${memories(outcome.total)}. The drawing begins with them and with what was connected last.`,
        ),
        element('ol', { class: 'hits' }, ...outcome.newest.map(recent)),
      )
    const { results, hasMore, degraded, truncated } = outcome
    return replaceContent(
      panel,
      heading(`${count(results.length, 'result')}${hasMore ? ', best first' : ''}`),
      degraded && note('The embedding provider does not answer: these were found by their words alone.'),
      truncated && note('The bound on work was reached: something may be missing.'),
      results.length === 0 && nothing(outcome.type),
      element('ol', { class: 'hits' }, ...results.map(hit)),
    )
  }

  const hit = (each: Hit) =>
    entry(each.memory, bar(each.relevance), element('span', { class: 'why' }, ...why(each)))

  const recent = (memory: Memory) =>
    entry(memory, element('small', { class: 'hint' }, whenever(memory.createdAt)))

  const entry = (memory: Memory, ...below: Child[]) =>
    element(
      'li',
      {},
      element(
        'button',
        {
          ...{ type: 'button', class: 'hit', 'data-id': memory.id },
          click: () => void explorer.open(memory.id, false),
        },
        element('span', { class: 'hit-title' }, titleOf(memory, 90)),
        ...below,
      ),
    )

  function mark() {
    for (const each of panel.querySelectorAll<HTMLElement>('.hit'))
      each.setAttribute('aria-current', String(each.dataset.id === scene.state.selected))
  }

  const nothing = (type: SearchType) =>
    note(
      type === 'KEYWORD'
        ? 'Nothing holds these words. Try “Hybrid”, which also looks for what is near.'
        : 'Nothing is near this. Try other or fewer words.',
    )

  return { focus: () => query.select() }
}

const heading = (text: string) => element('h2', {}, text)
const note = (text: string) => element('p', { class: 'hint' }, text)
const skeletons = () =>
  Array.from({ length: 5 }, () => element('div', { class: 'skeleton', 'aria-hidden': 'true' }))

function bar(relevance: number): Child {
  const filled = element('span', { class: 'bar-filled' })
  filled.style.width = `${Math.round(relevance * 100)}%`
  return element(
    'span',
    { class: 'score' },
    element('span', { class: 'bar-track', 'aria-hidden': 'true' }, filled),
    element('span', { class: 'score-value' }, formatFraction(relevance)),
  )
}

/** Where each kind of search has it, and what that adds to the score. */
function why({ sources: { semantic, keyword }, explain }: Hit): Child[] {
  return [
    semantic !== null &&
      chip(
        `meaning #${semantic.rank}`,
        `cosine ${formatFraction(explain?.semantic?.cosine ?? semantic.score)}`,
        explain?.formula,
      ),
    keyword !== null &&
      chip(
        `words #${keyword.rank}`,
        `relevance ${formatFraction(explain?.keyword?.relevance ?? keyword.score)}`,
        explain?.formula,
      ),
    explain?.session != null && chip('session', `next to #${explain.session.rank}`, explain.formula),
  ]
}

const chip = (text: string, figure: string, formula = '') =>
  element('span', { class: 'chip', title: formula }, text, element('small', {}, figure))
