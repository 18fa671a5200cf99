import { useSyncExternalStore } from 'react'

const PLACE = 'mnemograph.theme'
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const dark = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(PLACE)
  return themes.find(theme => theme === kept) ?? 'system'
}

export function chooseTheme(theme: Theme) {
  localStorage.setItem(PLACE, theme)
  applyTheme()
}

export function applyTheme() {
  document.documentElement.dataset.theme = chosenTheme()
  for (const each of listeners) each()
}

const isDark = () => (chosenTheme() === 'system' ? dark.matches : chosenTheme() === 'dark')

function subscribe(changed: () => void) {
  listeners.add(changed)
  dark.addEventListener('change', changed)
  return () => {
    listeners.delete(changed)
    dark.removeEventListener('change', changed)
  }
}

export const useTheme = () => useSyncExternalStore(subscribe, chosenTheme)

export const useDark = () => useSyncExternalStore(subscribe, isDark)
