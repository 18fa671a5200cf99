import { z } from 'zod'
import { relationshipType } from './connections.ts'
import { memory, newMemory } from './memory.ts'
import { policyName, policyRules } from './policies.ts'
import {
  communityId,
  content,
  emptySpan,
  fraction,
  id,
  isEmptySpan,
  memoryKind,
  metadata,
  real,
  sessionId,
  source,
  speaker,
  tags,
  text,
  timestamp,
} from './values.ts'

/** The version of the format that this service writes, and the newest it reads. */
export const BUNDLE_VERSION = 1

/** The sections whose lines are counted and hashed. */
export const sections = [
  'policies',
  'memories',
  'vectors',
  'versions',
  'connections',
  'earlier_connections',
  'rejections',
] as const

/** Those that an import counts line by line: a vector belongs to its memory. */
export const countedSections = z.enum(sections).exclude(['vectors']).options

/** From 1970 to 9999: what the indexes over times span. */
const moment = timestamp.refine(value => Date.parse(value) >= 0, 'must be between the years 1970 and 9999')

/** Well below the largest integer that JavaScript represents exactly. */
const count = z.int().min(0).max(1_000_000_000_000)

const vectorSpace = z.strictObject({
  provider: z.string().min(1).max(200),
  model: z.string().min(1).max(1_000),
  dimensions: z.int().min(1).max(4096),
})

const beginning = z.strictObject({
  section: z.literal('bundle'),
  version: z.int().min(1),
  made_at: moment,
  /** Whether filters have left memories out. */
  filtered: z.literal(true).optional(),
  vectors: vectorSpace.nullable(),
})

const policyLine = z.strictObject({
  section: z.literal('policies'),
  name: policyName,
  rules: policyRules
    .extend({
      promote_at_recalls: policyRules.shape.promote_at_recalls.nullable(),
      promote_to: policyRules.shape.promote_to.nullable(),
      archive_at_health: policyRules.shape.archive_at_health.nullable(),
      remove_after_seconds: policyRules.shape.remove_after_seconds.nullable(),
    })
    .nullable(),
  since: moment,
})

const archivedReason = text().max(2_000)

/** Who made a version, and why. */
const made = { author: text().max(200).nullable(), reason: text().max(2_000).nullable() }

/** All fields of a memory, bounded as where they are given. */
const memoryLine = z
  .strictObject({
    section: z.literal('memories'),
    ...memory.omit({ embedding: true, owner: true }).shape,
    content,
    policy: newMemory.shape.policy,
    ttl_seconds: newMemory.shape.ttl_seconds,
    tags,
    importance: fraction,
    source: source.nullable().default(null),
    session_id: sessionId.nullable().default(null),
    speaker: speaker.nullable().default(null),
    sensitive: memory.shape.sensitive.max(50).default([]),
    kind: memoryKind.nullable().default(null),
    community: communityId.nullable().default(null),
    metadata: metadata.default({}),
    valid_from: timestamp.nullable().default(null),
    valid_until: timestamp.nullable().default(null),
    health: real().min(0).max(100),
    recall_count: count,
    last_recalled_at: moment.nullable(),
    expires_at: moment.nullable(),
    archived_at: moment.nullable(),
    archived_reason: archivedReason.nullable().default(null),
    created_at: moment,
    updated_at: moment,
    version: count.min(1),
    author: made.author.default(null),
    reason: made.reason.default(null),
    recalls: z.array(moment).max(100_000),
    maintained_at: moment.nullable(),
    importance_since: moment.nullable(),
  })
  .refine(line => line.ttl_seconds > 0 === (line.expires_at !== null), {
    error: 'must be a time if `ttl_seconds` is above 0, and null otherwise',
    path: ['expires_at'],
  })
  .refine(line => (line.state === 'archived') === (line.archived_at !== null), {
    error: 'must be a time if `state` is archived, and null otherwise',
    path: ['archived_at'],
  })
  .refine(line => line.state === 'archived' || line.archived_reason === null, {
    error: 'goes together with the state archived',
    path: ['archived_reason'],
  })
  .refine(line => !isEmptySpan(line.valid_from, line.valid_until), emptySpan)
  .refine(line => line.policy !== 'pinned' || line.ttl_seconds === 0, {
    error: 'must be 0: memories of the policy `pinned` never expire',
    path: ['ttl_seconds'],
  })
  .refine(
    line =>
      line.recalls.length <= line.recall_count &&
      new Set(line.recalls.map(at => Date.parse(at))).size === line.recalls.length,
    {
      error: 'must be different times, and at most as many as `recall_count`',
      path: ['recalls'],
    },
  )

const vectorLine = z.strictObject({
  section: z.literal('vectors'),
  id,
  truncated: z.boolean(),
  vector: z.base64().max(22_000),
})

const joinsTwo = (line: { source_id: string; target_id: string }) => line.source_id !== line.target_id

const joinsItself = { error: 'must be another memory than `source_id`', path: ['target_id'] }

const connectionShape = {
  source_id: id,
  target_id: id,
  relationship_type: relationshipType,
  strength: fraction.nullable(),
  created_at: moment,
  origin: z.enum(['asserted', 'discovered']),
  model: z.string().max(1_000).nullable(),
  threshold: real().min(-1).max(1).nullable(),
  reason: text().max(2_000).nullable().default(null),
  valid_from: timestamp.nullable().default(null),
  valid_until: timestamp.nullable().default(null),
}

const connectionLine = z
  .strictObject({
    section: z.literal('connections'),
    ...connectionShape,
    /** When it became as it is, where that is not its creation. */
    recorded_at: moment.nullable().default(null),
  })
  .refine(joinsTwo, joinsItself)
  .refine(line => line.threshold === null || line.relationship_type === 'related_to', {
    error: 'must be related_to for a connection with a threshold',
    path: ['relationship_type'],
  })
  .refine(line => !isEmptySpan(line.valid_from, line.valid_until), emptySpan)

/** An earlier version of a memory that comes before. */
const versionLine = z
  .strictObject({
    section: z.literal('versions'),
    memory_id: id,
    version: count.min(1),
    at: moment,
    ...made,
    content,
    policy: newMemory.shape.policy,
    ttl_seconds: newMemory.shape.ttl_seconds,
    tags,
    importance: fraction,
    source: source.nullable(),
    session_id: sessionId.nullable(),
    speaker: speaker.nullable().default(null),
    kind: memoryKind.nullable(),
    metadata,
    valid_from: timestamp.nullable(),
    valid_until: timestamp.nullable(),
    state: memory.shape.state,
    archived_reason: archivedReason.nullable(),
    expires_at: moment.nullable().default(null),
    sensitive: memory.shape.sensitive.max(50).default([]),
  })
  .refine(line => !isEmptySpan(line.valid_from, line.valid_until), emptySpan)

/** A connection as it was until it changed or was removed. */
const earlierLine = z
  .strictObject({ section: z.literal('earlier_connections'), ...connectionShape, at: moment, until: moment })
  .refine(joinsTwo, joinsItself)
  .refine(line => !isEmptySpan(line.valid_from, line.valid_until), emptySpan)

/** A conflict that is suggested, for the texts with these digests. */
const suggestion = z.strictObject({
  rule: text().max(200),
  reason: text().max(2_000),
  created_at: moment,
  digests: z.array(z.string().max(100)).length(2),
})

/** A connection that discovery does not make again, as somebody removed it, or a conflict that it suggests or does not suggest again. */
const rejectionLine = z
  .strictObject({
    section: z.literal('rejections'),
    source_id: id,
    target_id: id,
    relationship_type: z.enum(['related_to', 'contradicts']).optional(),
    suggested: suggestion.optional(),
  })
  .refine(line => !line.suggested || line.relationship_type === 'contradicts', {
    error: 'must be contradicts for a suggested conflict',
    path: ['relationship_type'],
  })

/** The fields of a line, in the order in which they are written. */
export const lineFields = {
  memories: Object.keys(memoryLine.shape),
  versions: Object.keys(versionLine.shape),
  connections: Object.keys(connectionLine.shape),
  earlier_connections: Object.keys(earlierLine.shape),
}

const sum = z.strictObject({ count: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) })

/** Of a section that bundles did not have at first. */
const laterSum = sum.default({ count: 0, sha256: '0'.repeat(64) })

/** How many lines each section has, and their digest. */
export const sums = z.strictObject({
  policies: sum,
  memories: sum,
  vectors: sum,
  versions: laterSum,
  connections: sum,
  earlier_connections: laterSum,
  rejections: laterSum,
})

const manifest = z.strictObject({ section: z.literal('manifest'), sections: sums })

/** A place from which an export can resume. It is not part of the exported data. */
const checkpoint = z.strictObject({ section: z.literal('checkpoint'), cursor: z.string() })

/** A line of a bundle. */
export const bundleLine = z.discriminatedUnion('section', [
  beginning,
  policyLine,
  memoryLine,
  vectorLine,
  versionLine,
  connectionLine,
  earlierLine,
  rejectionLine,
  manifest,
  checkpoint,
])

export type Line = z.output<typeof bundleLine>
export type LineOf<Name extends Line['section']> = Extract<Line, { section: Name }>
export type Sums = z.output<typeof sums>
