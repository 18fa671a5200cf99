import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { Tooltip } from 'radix-ui'
import { type ReactNode, StrictMode, useEffect, useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { navigate, useBrowserLocation } from 'wouter/use-browser-location'
import { type Access, forgetAccess, keepAccess, readAccess, tenantOfAddress } from '../data/access.ts'
import { client, clientOf, isRefused, ProblemError, wordsOf } from '../data/client.ts'
import { pathOf } from '../data/place.ts'
import { Notices } from '../parts/notices.tsx'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'
import { applyTheme } from './theme.ts'

/** Shows a page of the console in its shell. */
export function start(page: ReactNode) {
  applyTheme()
  const root = document.getElementById('root')
  if (root)
    createRoot(root).render(
      <StrictMode>
        <App>{page}</App>
      </StrictMode>,
    )
}

/** What the service refuses it refuses again; what did not answer may answer. */
const newQueries = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => failures < 2 && !(error instanceof ProblemError && error.status < 500),
      },
    },
  })

/** Each tenant, and each sign-in, has answers of its own. */
function App({ children }: { children: ReactNode }) {
  const [entries, setEntries] = useState(0)
  const [path] = useBrowserLocation()
  const tenant = tenantOfAddress()
  const queries = useMemo(newQueries, [tenant, entries])
  const enter = () => setEntries(entries + 1)
  return (
    <QueryClientProvider client={queries}>
      <Tooltip.Provider delayDuration={300}>
        <Notices>
          <Router base={pathOf(tenant)}>
            <Session key={`${entries} ${tenant}`} {...{ tenant, path, enter }}>
              {children}
            </Session>
          </Router>
        </Notices>
      </Tooltip.Provider>
    </QueryClientProvider>
  )
}

/** Asks to whom the key is bound: only a request that names no tenant tells. Returns whether that is known, or cannot be. */
function useOwner(access: Access | undefined): boolean {
  const [isKnown, setKnown] = useState(access?.owner !== undefined)
  const found = useQuery({
    queryKey: ['owner'],
    queryFn: ({ signal }) => clientOf(access && { ...access, tenant: '' }).getAccess({}, { signal }),
    enabled: access !== undefined && !isKnown,
  })
  const owner = found.data?.owner
  useEffect(() => {
    const kept = readAccess()
    if (owner === undefined || !kept) return
    keepAccess({ ...kept, owner })
    setKnown(true)
  }, [owner])
  return isKnown || found.error !== null
}

type SessionProps = { tenant: string; path: string; enter: () => void; children: ReactNode }

/** Asks for a key first; a key that the service refuses leads back there. The address stays, and names the tenant. */
function Session({ tenant, path, enter, children }: SessionProps) {
  const access = readAccess()
  const found = useQuery({
    queryKey: ['access'],
    queryFn: ({ signal }) => client().getAccess({}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: access !== undefined,
  })
  const isInConsole = path.startsWith(pathOf(''))
  const known = found.data?.tenant
  const isSure = useOwner(access)
  useEffect(() => {
    const rest = path.slice(pathOf('').length)
    if (isInConsole && tenant === '' && known)
      navigate(`${pathOf(known)}${rest}${location.search}`, { replace: true })
  }, [isInConsole, tenant, known, path])
  const isRejected = isRefused(found.error, 401, 403, 429)
  if (!access || isRejected)
    return <SignIn complaint={isRejected ? wordsOf(found.error) : ''} opened={enter} />
  if ((isInConsole && tenant === '') || !isSure) return null
  const leave = () => {
    forgetAccess()
    enter()
  }
  return (
    <Shell
      tenant={tenant || known || ''}
      isOperator={found.data?.operator ?? false}
      owner={readAccess()?.owner ?? null}
      leave={leave}
    >
      {children}
    </Shell>
  )
}
