import { z } from 'zod'
import { httpAddress, integer, secret } from './setting-kinds.ts'

/** Where vectors come from, and which model sorts the hits of a search again, if any. */
export const embeddingSettings = {
  SERVICE_EMBEDDING_PROVIDER: z
    .enum(['openai', 'builtin', 'local', 'hash'])
    .optional()
    .describe(
      'Where embeddings come from. Unset: `openai` when `OPENAI_API_KEY` or `OPENAI_BASE_URL` is set, else `builtin`, a model that runs in the service.',
    ),
  SERVICE_EMBEDDING_MODEL: z
    .string()
    .min(1)
    .optional()
    .describe(
      '`english` or `multilingual` (`builtin`), model name (`openai`, default `text-embedding-3-small`), or hub name or folder (`local`, default `Xenova/all-MiniLM-L6-v2`).',
    ),
  SERVICE_EMBEDDING_DIMENSIONS: integer(1, 4096)
    .optional()
    .describe(
      "Length of the vectors. Unset: the model's own for `openai`, `builtin` and `local`, 384 for `hash`.",
    ),
  SERVICE_EMBEDDING_TIMEOUT_MS: integer(50, 600_000)
    .default(10_000)
    .describe('Time limit in milliseconds for one request to the embedding provider.'),
  SERVICE_EMBEDDING_WRITE_WAIT_MS: integer(0, 60_000)
    .default(2_000)
    .describe(
      'How long in milliseconds a write waits for its vector. After that the memory is stored without one, and the queue adds it.',
    ),
  SERVICE_RERANK_URL: httpAddress()
    .optional()
    .describe(
      'Address of a reranking model for searches with `rerank`: `POST {model, query, documents}`, answered by `{results: [{index, relevance_score}]}`.',
    ),
  SERVICE_RERANK_MODEL: z.string().min(1).optional().describe('Model that the reranking requests name.'),
  SERVICE_RERANK_API_KEY: secret().optional().describe('Key for the reranking model.'),
  SERVICE_RERANK_TIMEOUT_MS: integer(50, 60_000)
    .default(2_000)
    .describe('How long in milliseconds a search waits for the reranking model.'),
}
