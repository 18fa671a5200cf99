import { type Access, forgetAccess, keepAccess, readAccess } from './access.ts'
import { element, replaceContent } from './element.ts'

/**
 * The dialogue for the key and the tenant, and the button that opens it again. `opened` is called for each new access.
 */
export function createSignIn(button: HTMLElement, opened: () => void) {
  const complaint = element('p', { class: 'complaint', role: 'alert' })
  const key = element('input', {
    ...{ id: 'access-key', type: 'password', autocomplete: 'off', spellcheck: 'false', required: true },
    // What no header can carry would look as if the service did not answer.
    ...{ pattern: '\\s*[!-~]+\\s*', title: 'Letters, digits and signs without accents and blanks' },
  })
  const tenant = element('input', {
    ...{ id: 'access-tenant', autocomplete: 'off', spellcheck: 'false', placeholder: 'default' },
    ...{ pattern: '[a-z0-9_\\-]{1,64}', title: '1 to 64 of a-z 0-9 _ -' },
  })
  const enter = (event: Event) => {
    event.preventDefault()
    keepAccess({ key: key.value.trim(), tenant: tenant.value.trim() })
    dialog.close()
    showName(button)
    opened()
  }
  const forget = () => {
    forgetAccess()
    location.reload()
  }
  const dialog = element('dialog', { class: 'sign-in', 'aria-labelledby': 'access-title' }, form())
  document.body.append(dialog)
  button.addEventListener('click', () => open())
  showName(button)

  function form() {
    return element(
      'form',
      { submit: enter },
      element('h2', { id: 'access-title' }, 'Which memories?'),
      complaint,
      element('label', { for: 'access-key' }, 'Key'),
      key,
      hint('The start of the service prints one; in development it is in .memory/development.key.'),
      element('label', { for: 'access-tenant' }, 'Tenant'),
      tenant,
      hint('For the operator’s key; a tenant’s key knows its own. `npm run demo` fills the tenant demo.'),
      element(
        'div',
        { class: 'actions' },
        element('button', { type: 'button', class: 'quiet', click: forget }, 'Forget the key'),
        element('button', { type: 'submit', class: 'primary' }, 'Open'),
      ),
      hint('Kept in this tab until it is closed, and sent to no one but this service.'),
    )
  }

  function open(why = '') {
    replaceContent(complaint, why)
    // What is being typed stays.
    if (dialog.open) return
    const { key: known = '', tenant: named = '' } = readAccess() ?? {}
    key.value = known
    tenant.value = named
    dialog.showModal()
    const first = known && !why ? tenant : key
    first.focus()
    first.select()
  }

  return { open }
}

const hint = (text: string) => element('p', { class: 'hint' }, text)

const showName = (button: HTMLElement, access: Access | undefined = readAccess()) =>
  replaceContent(button, access?.tenant ? `Tenant: ${access.tenant}` : access ? 'Key given' : 'Key')
