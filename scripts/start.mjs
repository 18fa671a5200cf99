import { enableCompileCache } from 'node:module'

// Node.js keeps the compiled source between starts: the next start is quicker, and does not load the TypeScript parser,
// which would hold its memory for good. This file is JavaScript, because the parser would be loaded to read it.
enableCompileCache()
await import('../src/main.ts')
