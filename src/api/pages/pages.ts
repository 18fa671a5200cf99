import { existsSync } from 'node:fs'
import express, { Router } from 'express'
import { ServiceError } from '../../contract/problems.ts'
import { asFile, asPage, builtPages } from './page.ts'

/**
 * `/console` and `/graphiql`: files without data, which need no key. Each page asks for a key and calls the API with
 * it. A browser's own dialog would keep the key beyond the session.
 */
export function pagesRouter(): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.use('/console', asPage(), filesOf('console'), viewsOf('console'))
  router.get('/explorer', asPage(), (_req, res) => res.redirect(308, '/console/graph'))
  router.use('/graphiql', asPage(editor), filesOf('graphiql'))
  return router
}

/** The editor of GraphiQL writes style elements and attributes; the policy for scripts stays strict. */
const editor = {
  'style-src': "'self' 'unsafe-inline'",
  'font-src': "'self' data:",
  'worker-src': "'self'",
}

/** Every address below a page of several views leads to the page, which reads the address. */
const viewsOf = (page: string) =>
  Router().get('/{*view}', (_req, res) =>
    res.sendFile('index.html', { ...asFile, root: `${builtPages}/${page}` }),
  )

function filesOf(page: string): Router {
  const root = `${builtPages}/${page}`
  const router = Router({ caseSensitive: true, strict: true })
  router.use((_req, res, next) => {
    if (!existsSync(`${root}/index.html`))
      throw new ServiceError('unknown_path', 'The pages have not been built. Run `npm run pages`.')
    res.set('Cache-Control', 'no-cache')
    next()
  })
  router.get('/', (_req, res) => res.sendFile('index.html', { ...asFile, root }))
  router.use(express.static(root, { ...asFile, index: false, redirect: false }))
  return router
}
