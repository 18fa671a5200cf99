import { parentPort } from 'node:worker_threads'
import { parseCypher } from './grammar.ts'
import type { Hints } from './patterns.ts'
import { Refusal } from './refusal.ts'
import { rewriteForTenant } from './rewrite.ts'

export type Rewritten = { readonly text: string } | { readonly refusal: string }

parentPort?.on('message', ({ query, hints }: { query: string; hints: readonly Hints[] }) => {
  parentPort?.postMessage(rewriteAll(query, hints))
})

function rewriteAll(query: string, hints: readonly Hints[]): Rewritten[] {
  try {
    return rewriteForTenant(query, hints).map(text => ({ text }))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return [{ refusal: error.message }]
  }
}

// Loads the grammar.
parseCypher('RETURN 1')
parentPort?.postMessage('ready')
