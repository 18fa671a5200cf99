import { enableCompileCache } from 'node:module'

// What Node.js makes of the source is kept between starts: the next one is quicker, and is spared what reads TypeScript,
// which would keep its memory for good. This file is no TypeScript, as that would be read before.
enableCompileCache()
await import('../src/main.ts')
