import { z } from 'zod'
import { httpAddress, integer, secret } from './setting-kinds.ts'

/** Which chat model the service asks, if any. */
export const modelSettings = {
  SERVICE_MODEL: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Name of a chat model that extracts facts from stored turns and judges how new memories relate. If unset, the service asks no chat model.',
    ),
  SERVICE_MODEL_BASE_URL: httpAddress()
    .optional()
    .describe(
      'Any OpenAI-compatible endpoint for the chat model, for instance `http://127.0.0.1:11434/v1`. Unset: the one of OpenAI.',
    ),
  SERVICE_MODEL_API_KEY: secret().optional().describe('Key for the chat model.'),
  SERVICE_MODEL_TIMEOUT_MS: integer(50, 100_000)
    .default(60_000)
    .describe('Time limit in milliseconds for one request to the chat model.'),
  SERVICE_MODEL_DAILY_TOKENS: integer(0, 1_000_000_000)
    .default(1_000_000)
    .describe(
      'How many tokens of the chat model each tenant may use in a day (UTC). Jobs wait for the next day. Set to 0 for no limit.',
    ),
}
