import { element } from '../shared/element.ts'
import { shortcuts } from './keys.ts'

/** The dialogue with the keys of the drawing. */
export function createHelp(button: HTMLElement) {
  const rows = shortcuts.flatMap(([keys, what]) => [
    element('dt', {}, ...keys.split(' ').map(key => element('kbd', {}, key))),
    element('dd', {}, what),
  ])
  const dialog = element(
    'dialog',
    { class: 'help', 'aria-labelledby': 'help-title' },
    element('h2', { id: 'help-title' }, 'Keys'),
    element(
      'p',
      { class: 'hint' },
      'While the drawing has the focus. With the pointer: click chooses and expands, Shift and click only chooses, drag moves.',
    ),
    element('dl', { class: 'keys' }, ...rows),
    element('form', { method: 'dialog' }, element('button', { class: 'primary' }, 'Close')),
  )
  document.body.append(dialog)
  const open = () => dialog.showModal()
  button.addEventListener('click', open)
  return { open }
}
