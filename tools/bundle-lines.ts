import { randomUUID } from 'node:crypto'
import type { Client } from '../src/client.ts'
import type { Line, LineOf } from '../src/contract/bundle.ts'
import type { Input, Output } from '../src/contract/index.ts'
import { addLine, noSums } from '../src/platform/digest.ts'

const MADE = '2026-01-01T00:00:00.000Z'

/** The lines of a bundle that begins and, with a manifest, ends as it should. */
export function bundleLines(lines: readonly Line[], beginning: Partial<LineOf<'bundle'>> = {}): string[] {
  const sums = noSums()
  const texts = lines.map(line => JSON.stringify(line))
  for (const [index, text] of texts.entries()) addLine(sums, lines[index]?.section ?? '', text)
  return [
    JSON.stringify({ section: 'bundle', version: 1, made_at: MADE, vectors: null, ...beginning }),
    ...texts,
    JSON.stringify({ section: 'manifest', sections: sums }),
  ]
}

export const memoryLine = (fields: Partial<LineOf<'memories'>> = {}): LineOf<'memories'> => ({
  section: 'memories',
  id: randomUUID(),
  content: 'The cat sleeps on the warm windowsill',
  policy: 'long_term',
  ttl_seconds: 0,
  tags: [],
  importance: 0.5,
  source: null,
  session_id: null,
  speaker: null,
  sensitive: [],
  kind: null,
  community: null,
  metadata: {},
  valid_from: null,
  valid_until: null,
  state: 'active',
  health: 100,
  recall_count: 0,
  last_recalled_at: null,
  recalls: [],
  expires_at: null,
  archived_at: null,
  archived_reason: null,
  created_at: MADE,
  updated_at: MADE,
  version: 1,
  author: null,
  reason: null,
  maintained_at: null,
  importance_since: null,
  ...fields,
})

export const connectionLine = (
  source_id: string,
  target_id: string,
  fields: Partial<LineOf<'connections'>> = {},
): LineOf<'connections'> => ({
  section: 'connections',
  source_id,
  target_id,
  relationship_type: 'supports',
  strength: null,
  created_at: MADE,
  origin: 'asserted',
  model: null,
  threshold: null,
  reason: null,
  valid_from: null,
  valid_until: null,
  recorded_at: null,
  ...fields,
})

/** All lines of a tenant's export. */
export async function exported(client: Client, input: Input<'exportBundle'> = {}): Promise<string[]> {
  const { pieces } = await client.exportBundle(input)
  let text = ''
  for await (const piece of pieces) text += piece
  return text.split('\n').slice(0, -1)
}

/** The sums that an export ends with. */
export const sumsOf = (lines: readonly string[]) => JSON.parse(lines.at(-1) ?? '{}').sections

/** Imports lines, at most so many in a part, to the end. Answers the last answer, with all that was left out. */
export async function imported(
  client: Client,
  lines: readonly string[],
  {
    size = 2_000,
    ...options
  }: Pick<Input<'importBundle'>, 'mode' | 'dry_run' | 'on_duplicate'> & { size?: number } = {},
): Promise<Output<'importBundle'>> {
  const rest = [...lines]
  const left: Output<'importBundle'>['left_out'] = []
  for (let cursor: string | undefined; ; ) {
    const part = rest.splice(0, size)
    while (rest[0]?.startsWith('{"section":"vectors"')) part.push(rest.shift() as string)
    const answer = await client.importBundle({ ...options, lines: part, ...(cursor ? { cursor } : {}) })
    left.push(...answer.left_out)
    if (answer.cursor === null) return { ...answer, left_out: left }
    cursor = answer.cursor
  }
}
