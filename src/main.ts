import { enableCompileCache, flushCompileCache } from 'node:module'

// Later starts are quicker, and need not load what reads TypeScript, which would keep its memory for good.
enableCompileCache()
const { serve } = await import('./serve.ts')
flushCompileCache()
process.exitCode = await serve()
