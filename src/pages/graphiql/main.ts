import { GraphiQL } from 'graphiql'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import 'graphiql/style.css'
import '../shared/base.css'
import { readAccess } from '../shared/access.ts'
import { byId } from '../shared/element.ts'
import { addressOf } from '../shared/place.ts'
import { createSignIn } from '../shared/sign-in.ts'
import { isDark, switchTheme } from '../shared/theme.ts'
import { createFetcher } from './fetcher.ts'
import { firstQuery } from './first-query.ts'
import './graphiql.css'

self.MonacoEnvironment = {
  getWorker: (_, label) =>
    new Worker(
      addressOf(`/graphiql/${label === 'json' || label === 'graphql' ? label : 'editor'}.worker.js`),
      { type: 'module' },
    ),
}

const root = createRoot(byId('editor'))
const signIn = createSignIn(byId('access'), show)
const fetcher = createFetcher(why => signIn.open(why))
let accesses = 0
switchTheme(byId('theme'), () => accesses > 0 && render())
if (readAccess()) show()
else signIn.open()

/** Another key may see another schema: the editor asks for it again. */
function show() {
  accesses++
  render()
}

function render() {
  const editor = createElement(GraphiQL, {
    key: accesses,
    fetcher,
    defaultQuery: firstQuery,
    forcedTheme: isDark() ? 'dark' : 'light',
    shouldPersistHeaders: false,
    showPersistHeadersSettings: false,
    isHeadersEditorEnabled: false,
  })
  root.render(editor)
}
