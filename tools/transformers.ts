import { createRequire } from 'node:module'
import type { Transformers } from '../src/platform/embeddings/local/load.ts'

/** The package that runs models, where it is installed for the service or by `npm run local-model`. */
export function installedTransformers(): (() => Promise<Transformers>) | undefined {
  for (const place of ['../package.json', '../test/local-model/package.json']) {
    const require = createRequire(new URL(place, import.meta.url))
    try {
      const path = require.resolve('@huggingface/transformers')
      return async () => require(path)
    } catch {}
  }
  return undefined
}
