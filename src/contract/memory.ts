import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import type { Route } from './route.ts'
import {
  content,
  emptySpan,
  fraction,
  id,
  isEmptySpan,
  memoryKind,
  metadata,
  policy,
  sessionId,
  source,
  speaker,
  tags,
  timestamp,
  validFrom,
  validUntil,
} from './values.ts'

export const ttlSeconds = z
  .int()
  .min(0)
  .max(3_153_600_000)
  .describe(
    'Seconds until the memory expires, counted from the write that sets it. 0 means that it does not expire.',
  )

export const onDuplicate = closedSet('OnDuplicate').describe(
  'What to do if a memory is there that says the same: it is active, holds for the same time and lasts as long, has the same source and session, and the same text, apart from white space at the ends and repeated spaces. Of several, a pinned one comes first, then the one that lives longer, the most recalled one, and the oldest. `return` stores nothing and returns that memory, with its id in `duplicate_of`.',
)

const supersedes = z
  .array(id)
  .min(1)
  .max(50)
  .optional()
  .describe(
    'The ids of memories that the new one replaces. They stop to hold (`valid_until`), are archived as `superseded`, and the new memory contradicts them. With `on_duplicate`, a memory that says the same as the new one replaces them. All of it happens in one transaction.',
  )

/** How long a write waits, by a header in REST and by an argument elsewhere. */
export const waitSeconds = z
  .int()
  .min(1)
  .max(30)
  .meta({ examples: [5] })
  .describe(
    'Wait up to this many seconds, at most 30, until the embedding is computed and discovery is done. After that the response shows the state so far.',
  )

const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
  .meta({ examples: ['deploy-rule-2026-11-20'] })
  .describe(
    'A value that you choose for each new call. For 24 hours, a repeated call with the same value returns the first response and creates nothing.',
  )

/** What REST has in headers, as arguments of GraphQL and MCP. */
export const controlsOf = ({
  precondition,
  waits,
  creates,
}: Pick<Route, 'precondition' | 'waits' | 'creates'>) =>
  z.object(controls).pick({
    ...(precondition === 'If-Match' && { if_version: true }),
    ...(waits && { wait: true }),
    ...(creates && { idempotency_key: true }),
  })

const controls = {
  if_version: z.int().min(1).optional().describe('The operation fails if the memory has another version.'),
  wait: waitSeconds.optional(),
  idempotency_key: idempotencyKey.optional(),
}

/** The values that GraphQL, MCP and the command line use if a caller omits them. REST requires both. */
export const creationDefaults = { policy: 'long_term', ttl_seconds: 0 } as const

const IMPORTANCE = 0.5

/** Whether a caller may have given an importance: nobody sees whether the default was. */
export const isGivenImportance = (value: number) => value !== IMPORTANCE

export const importance = fraction.describe('How much the memory matters, 0 to 1.')

/** What a memory can be without. */
export const clearable = closedSet('ClearableField')

export type Clearable = z.infer<typeof clearable>

export const state = closedSet('MemoryState')

const embedding = z.object({
  status: closedSet('EmbeddingStatus').describe(
    '`pending`: the queue still has to compute the embedding. Keyword search already finds the memory.',
  ),
  model: z.string().describe('The embedding model.'),
  dimensions: z.int().describe('The number of dimensions of the vector.'),
  truncated: z
    .boolean()
    .describe(
      'Whether the vector covers only a part of the content, because the model does not take all of it.',
    ),
  vector: z
    .array(z.number())
    .nullable()
    .optional()
    .describe('The vector, if you set `include_embedding`; null while it is pending.'),
})

export const memory = z
  .object({
    id: id.describe('The id of the memory.'),
    content: z.string().describe('The text of the memory.'),
    policy: z.string().describe('The policy that decides how long the memory lasts.'),
    ttl_seconds: z
      .int()
      .describe('Seconds from the write that set it until the memory expires; 0 if it does not expire.'),
    tags: z.array(z.string()).describe('The tags of the memory.'),
    importance: z.number().describe('How much the memory matters, 0 to 1.'),
    source: z.string().nullable().describe('Where the memory comes from; null if unknown.'),
    session_id: z
      .string()
      .nullable()
      .describe('The conversation, document or run that the memory belongs to; null if none.'),
    speaker: z.string().nullable().describe('Who said it; null if unknown.'),
    kind: z.string().nullable().describe('What sort of memory it is, for example decision; null if none.'),
    metadata: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .describe('Further values by name; an empty object if there are none.'),
    valid_from: timestamp.nullable().describe('From when on the content holds; null if always.'),
    valid_until: timestamp
      .nullable()
      .describe('Until when the content holds, exclusive; null if without an end.'),
    sensitive: z
      .array(z.string())
      .describe(
        'The kinds of secrets that the texts of the memory contain, such as api_key, or metadata:password outside the content; empty if there are none. Contexts leave such memories out.',
      ),
    state: state.describe('Searches and walks find only `active` memories. You can restore `archived` ones.'),
    health: z
      .number()
      .describe('How alive the memory is, 0 to 100. It falls with time and rises with each recall.'),
    recall_count: z.int().describe('How often the memory was recalled.'),
    last_recalled_at: timestamp.nullable().describe('When the memory was last recalled; null if never.'),
    expires_at: timestamp.nullable().describe('When the memory expires; null if it does not.'),
    archived_at: timestamp.nullable().describe('When the memory was archived; null if it is active.'),
    archived_reason: z
      .string()
      .nullable()
      .describe(
        'Why the memory was archived: `deleted`, `expired`, `faded`, `superseded`, `merged`, `forgotten`, `undone`, or another text; null if it is active.',
      ),
    created_at: timestamp.describe('When the memory was created.'),
    updated_at: timestamp.describe('When the memory was last changed. A recall is not a change.'),
    version: z.int().describe('The version of the memory. Each change adds 1.'),
    community: z
      .string()
      .nullable()
      .describe('The community of the graph that it belongs to; null if it is in none.'),
    owner: z
      .string()
      .nullable()
      .describe('Whose private memory it is; null if it is shared with everybody in the tenant.'),
    embedding: embedding.describe('The state of the embedding of the memory.'),
  })
  .meta({ id: 'Memory', description: 'A memory.' })

export type Memory = z.infer<typeof memory>

export const createdMemory = memory
  .extend({
    duplicate_of: id
      .optional()
      .describe(
        'The id of this memory. Only present if it existed before with the same text, so that nothing was stored.',
      ),
    not_stored: z
      .array(z.string())
      .optional()
      .describe(
        'The fields of the request that this memory does not have, such as a further tag. Only present with `duplicate_of`.',
      ),
  })
  .meta({ id: 'CreatedMemory', description: 'A new memory, or the memory that has the same text.' })

export type CreatedMemory = z.infer<typeof createdMemory>

export const fetchedMemory = memory
  .extend({
    fades_at: timestamp
      .nullable()
      .optional()
      .describe(
        'When maintenance will archive the memory if nobody recalls or changes it, if you set `include_fades_at`; null if it will not.',
      ),
  })
  .meta({ id: 'FetchedMemory', description: 'A memory, and when it fades if you asked for that.' })

/** What a caller says of a memory. */
export const givenFields = {
  content,
  policy,
  ttl_seconds: ttlSeconds,
  tags,
  importance,
  source: source.optional(),
  session_id: sessionId.optional(),
  speaker: speaker.optional(),
  kind: memoryKind.optional(),
  metadata,
  valid_from: validFrom.optional(),
  valid_until: validUntil.optional(),
}

export const newMemory = z
  .strictObject({
    ...givenFields,
    tags: tags.default([]),
    importance: importance.default(IMPORTANCE),
    metadata: metadata.default({}),
    on_duplicate: onDuplicate.default('store'),
    supersedes,
  })
  .refine(({ valid_from, valid_until }) => !isEmptySpan(valid_from, valid_until), emptySpan)
  .meta({ id: 'NewMemory', description: 'A memory to create.' })

export type NewMemory = z.infer<typeof newMemory>
