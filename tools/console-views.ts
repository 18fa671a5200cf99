/** The views of the console for programs that open all of them: what shows that the first data of each are there. */
export const consoleViews = {
  overview: { path: '/overview', shown: '.figures' },
  memories: { path: '/memories', shown: 'ul[aria-label="Memories"] li' },
  memory: { path: '/memories/FIRST', shown: '.timeline li' },
  'new memory': { path: '/new', shown: 'textarea' },
  graph: { path: '/graph', shown: '.drawing canvas' },
  cypher: { path: '/cypher', shown: 'textarea' },
  graphiql: { path: '/graphiql', shown: '.graphiql-container .view-line' },
  conflicts: { path: '/maintenance', shown: 'section[aria-label="Conflicts"] :is(td, .empty)' },
  plan: { path: '/maintenance?tab=plan', shown: 'form' },
  policies: { path: '/maintenance?tab=policies', shown: '.curve' },
  runs: { path: '/maintenance?tab=runs', shown: 'section[aria-label="Runs"] :is(td, .empty)' },
  data: { path: '/maintenance?tab=data', shown: 'form' },
  operations: { path: '/operations', shown: 'section[aria-label="Queue"] :is(td, .empty)' },
  webhooks: { path: '/webhooks', shown: 'section[aria-label="Webhooks"] :is(td, .empty)' },
  keys: { path: '/keys', shown: 'section[aria-label="Keys"] :is(td, .empty)' },
} as const

export type ConsoleView = keyof typeof consoleViews

/** Where a view of a tenant stands; `first` is the memory that is shown. */
export function addressOfView(view: ConsoleView, tenant: string, first: string): string {
  const { path } = consoleViews[view]
  return view === 'graphiql'
    ? `${path}?tenant=${tenant}`
    : `/console/t/${tenant}${path.replace('FIRST', first)}`
}

/** A script that signs a tab in before its first page. */
export const signingIn = (key: string, tenant: string) =>
  `sessionStorage.setItem('mnemograph.access', ${JSON.stringify(JSON.stringify({ key, tenant }))})`
