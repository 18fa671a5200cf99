import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Embedder } from './embedder.ts'
import { createHashEmbedder } from './hash.ts'

export { NoModelError } from './builtin/no-model.ts'
export { type Embedder, type Embedding, EmbeddingUnavailable, reasonOf } from './embedder.ts'

/**
 * The embedder that the settings ask for. A provider that is down does not fail the start, unless the length of
 * its vectors is neither known nor set.
 * @param report receives lines for people, such as what is loaded or missing.
 */
export async function createEmbedder(
  config: Config['embedding'],
  log: Log,
  report: (line: string) => void,
): Promise<Embedder> {
  switch (config.provider) {
    case 'openai':
      return (await import('./openai.ts')).createOpenAiEmbedder(config, log)
    case 'builtin':
      return (await import('./builtin.ts')).createBuiltinEmbedder(config, report)
    case 'local':
      return (await import('./local.ts')).createLocalEmbedder(config, report)
    case 'hash':
      return createHashEmbedder(config.dimensions)
  }
}
