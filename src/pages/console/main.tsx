import '../shared/base.css'
import './console.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { byId } from '../shared/element.ts'
import { addressOf } from '../shared/place.ts'
import { ProblemError } from './api.ts'
import { App } from './app.tsx'
import { Notices } from './notices.tsx'

/** What the service refuses it refuses again; what did not answer may answer. */
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < 2 && !(error instanceof ProblemError && error.status < 500),
    },
  },
})

createRoot(byId('root')).render(
  <QueryClientProvider client={queries}>
    <Notices>
      <Router base={new URL(addressOf('/console')).pathname}>
        <App />
      </Router>
    </Notices>
  </QueryClientProvider>,
)
