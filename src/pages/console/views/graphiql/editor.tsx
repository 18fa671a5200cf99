import { GraphiQL } from 'graphiql'
import { useState } from 'react'
import { useDark } from '../../shell/theme.ts'
import { createFetcher } from './fetcher.ts'
import { firstQuery } from './first-query.ts'

/** GraphiQL with the key of this tab. The shell asks again for a key that is refused. */
export function Editor() {
  const isDark = useDark()
  const [fetcher] = useState(createFetcher)
  return (
    <div className="full">
      <GraphiQL
        fetcher={fetcher}
        defaultQuery={firstQuery}
        forcedTheme={isDark ? 'dark' : 'light'}
        shouldPersistHeaders={false}
        showPersistHeadersSettings={false}
        isHeadersEditorEnabled={false}
      />
    </div>
  )
}
