import { GraphiQL } from 'graphiql'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useDark } from '../../shell/theme.ts'
import { createFetcher } from './fetcher.ts'
import { firstQuery } from './first-query.ts'

/** GraphiQL with the key of this tab. The shell asks again for a key that is refused. */
export function Editor() {
  const isDark = useDark()
  const place = useRef<HTMLDivElement>(null)
  const [fetcher] = useState(createFetcher)
  useListedTabs(place)
  return (
    <div className="full" ref={place}>
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

/** A tab of GraphiQL holds buttons, which a screen reader does not find in a tab. It finds them in a list. */
function useListedTabs(place: RefObject<HTMLElement | null>) {
  useEffect(() => {
    if (!place.current) return
    const list = () => {
      for (const tabs of place.current?.querySelectorAll('.graphiql-tabs[role]') ?? [])
        tabs.removeAttribute('role')
      for (const tab of place.current?.querySelectorAll('.graphiql-tab:is([role], [aria-selected])') ?? []) {
        const isSelected = tab.getAttribute('aria-selected') === 'true'
        tab.querySelector('button')?.setAttribute('aria-current', String(isSelected))
        for (const name of ['role', 'aria-selected']) tab.removeAttribute(name)
      }
    }
    const observer = new MutationObserver(list)
    observer.observe(place.current, {
      ...{ subtree: true, childList: true, attributes: true },
      attributeFilter: ['role', 'aria-selected'],
    })
    list()
    return () => observer.disconnect()
  }, [place])
}
