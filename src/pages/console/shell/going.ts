import { useCallback } from 'react'
import { useLocation } from 'wouter'
import { readAccess } from '../data/access.ts'
import { addressOf, pathOf } from '../data/place.ts'

const isInConsole = () => location.pathname.startsWith(pathOf(''))

/** GraphiQL is a page of its own: its editor needs other rules for styles. */
export const hrefOf = (path: string) => {
  const tenant = readAccess()?.tenant ?? ''
  return path === '/graphiql'
    ? `${new URL(addressOf('/graphiql')).pathname}${tenant ? `?tenant=${encodeURIComponent(tenant)}` : ''}`
    : pathOf(tenant) + path
}

/** Goes to a view, within the page where that is possible. */
export function useGo() {
  const [, navigate] = useLocation()
  return useCallback(
    (path: string) =>
      isInConsole() && path !== '/graphiql' ? navigate(path) : location.assign(hrefOf(path)),
    [navigate],
  )
}

/** Goes to another tenant, in the same kind of view. */
export function openTenant(tenant: string) {
  const { pathname } = location
  if (!isInConsole()) return location.assign(`${pathname}?tenant=${encodeURIComponent(tenant)}`)
  const [, view = 'memories'] = /\/t\/[^/]+\/([^/]+)/.exec(pathname) ?? []
  history.pushState(null, '', `${pathOf(tenant)}/${view}`)
}
