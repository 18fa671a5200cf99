import { type NextFunction, type Request, type Response, Router } from 'express'
import type { App } from '../../context.ts'
import type { Authenticator } from '../../service/access/auth.ts'
import { authorizationOf, requireKey } from '../auth.ts'
import { prefixOf } from '../prefix.ts'
import { BASE_PATH } from '../rest/routes.ts'
import { asFile, asPage, below, builtPages } from './page.ts'

/**
 * The API reference as a page: Swagger UI, served by this service, shows the OpenAPI description. It requests nothing
 * from another host. In production it requires a key. A person cannot set a header in a browser, so the browser may
 * send the key as the password of its own dialog.
 */
export function docsRouter(app: App, authenticator: Authenticator): Router {
  const router = Router({ caseSensitive: true, strict: true })
  if (app.config.production) router.use(offerDialog, passwordAsKey, requireKey(authenticator))
  router.use(asPage())
  const prefix = prefixOf(app.config)
  router.get('/', (_req, res) => void res.type('html').send(below(prefix, page)))
  router.get('/page.js', (_req, res) => void res.type('js').send(script(prefix)))
  router.get('/page.css', (_req, res) => void res.type('css').send(style))
  router.get(['/swagger-ui.css', '/swagger-ui-bundle.js'], (req, res) =>
    res.sendFile(req.path, { ...asFile, root: `${builtPages}/docs` }),
  )
  return router
}

/** A response to a missing or wrong key has this next to `Bearer`. With a valid key it is removed. */
function offerDialog(_req: Request, res: Response, next: NextFunction) {
  res.set('WWW-Authenticate', 'Basic realm="Mnemograph: the key as password", charset="UTF-8"')
  next()
}

/** Next to an X-API-Key, the password is for a proxy and not a key. */
function passwordAsKey(req: Request, _res: Response, next: NextFunction) {
  const [, pair] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorizationOf(req) ?? '') ?? []
  const [, password] = /^[^:]*:(\S+)$/.exec(Buffer.from(pair ?? '', 'base64').toString('utf8')) ?? []
  if (password) req.headers.authorization = `Bearer ${password}`
  next()
}

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Mnemograph API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/page.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/page.js"></script>
  </body>
</html>
`

/** Uses the light or dark mode of the reader's system. */
const script = (prefix: string) => `const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
SwaggerUIBundle({
  url: '${prefix}${BASE_PATH}/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  requestSnippetsEnabled: true,
  validatorUrl: null,
})
`

const style = `body { margin: 0; background: #fafafa }
html.dark-mode body { background: #1c2022 }
`
