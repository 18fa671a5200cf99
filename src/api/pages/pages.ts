import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import express, { type RequestHandler, Router } from 'express'
import { ServiceError } from '../../contract/problems.ts'
import type { Config } from '../../platform/config.ts'
import { prefixOf } from '../prefix.ts'
import { asFile, asPage, below, builtPages } from './page.ts'

/**
 * `/console` and `/graphiql`: files without data, which need no key. Each page asks for a key and calls the API with
 * it. A browser's own dialog would keep the key beyond the session.
 */
export function pagesRouter(config: Pick<Config, 'publicUrl'>): Router {
  const prefix = prefixOf(config)
  const router = Router({ caseSensitive: true, strict: true })
  router.use('/console', asPage(), filesOf('console', prefix), viewsOf('console', prefix))
  router.get('/explorer', asPage(), (_req, res) => res.redirect(308, `${prefix}/console/graph`))
  router.use('/graphiql', asPage(editor), filesOf('graphiql', prefix))
  return router
}

/** The editor of GraphiQL writes style elements and attributes; the policy for scripts stays strict. */
const editor = {
  'style-src': "'self' 'unsafe-inline'",
  'font-src': "'self' data:",
  'worker-src': "'self'",
}

/** Every address below a page of several views leads to the page, which reads the address. */
const viewsOf = (page: string, prefix: string) => Router().get('/{*view}', indexOf(page, prefix))

/** Below a prefix the page names its files by it. */
function indexOf(page: string, prefix: string): RequestHandler {
  const root = `${builtPages}/${page}`
  if (prefix === '') return (_req, res) => res.sendFile('index.html', { ...asFile, root })
  return async (_req, res) => {
    res.type('html').send(below(prefix, await readFile(`${root}/index.html`, 'utf8')))
  }
}

function filesOf(page: string, prefix: string): Router {
  const root = `${builtPages}/${page}`
  const router = Router({ caseSensitive: true, strict: true })
  router.use((_req, res, next) => {
    if (!existsSync(`${root}/index.html`))
      throw new ServiceError('unknown_path', 'The pages have not been built. Run `npm run pages`.')
    res.set('Cache-Control', 'no-cache')
    next()
  })
  router.get('/', indexOf(page, prefix))
  router.use(express.static(root, { ...asFile, index: false, redirect: false }))
  return router
}
