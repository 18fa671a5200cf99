const PLACE = 'mnemograph.theme'
const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const labels = { system: '◐ System', light: '☀ Light', dark: '☾ Dark' } as const satisfies Record<
  Theme,
  string
>

const dark = matchMedia('(prefers-color-scheme: dark)')

export const isDark = () => (chosen() === 'system' ? dark.matches : chosen() === 'dark')

/** Makes a button the switch between the system's colours, light and dark; `changed` hears of every change. */
export function switchTheme(button: HTMLElement, changed: () => void) {
  const show = () => {
    document.documentElement.dataset.theme = chosen()
    button.textContent = labels[chosen()]
    button.setAttribute('aria-label', `Colours: ${chosen()}. Switch`)
    changed()
  }
  button.addEventListener('click', () => {
    localStorage.setItem(PLACE, themes[(themes.indexOf(chosen()) + 1) % themes.length] ?? 'system')
    show()
  })
  dark.addEventListener('change', show)
  show()
}

function chosen(): Theme {
  const kept = localStorage.getItem(PLACE)
  return themes.find(theme => theme === kept) ?? 'system'
}
