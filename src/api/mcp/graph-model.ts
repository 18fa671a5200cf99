import type { z } from 'zod'
import { closedSets } from '../../contract/closed-sets.ts'
import { memory } from '../../contract/memory.ts'
import type { Policy } from '../../contract/policies.ts'

/** What an agent needs to know of the graph, with the policies of its tenant. */
export const describeGraph = (policies: readonly Policy[]) => `# The graph of memories

A memory is a short text. It is \`active\`, or \`archived\` and then neither searched nor walked through.

${Object.entries(memory.shape).map(field).join('\n')}

## Connections

From a source to a target, with a strength from 0 to 1; one without counts 1. \`asserted\` by a caller or \`discovered\` from likeness.

${Object.entries(closedSets.RelationshipType.values)
  .map(([type, meaning]) => `- \`${type}\`: ${meaning}`)
  .join('\n')}

## Policies

${policies.map(rule).join('\n')}
`

const field = ([name, schema]: [string, z.ZodType]) =>
  `- \`${name}\`${schema.description ? `: ${schema.description}` : ''}`

function rule({
  name,
  health_decay,
  recall_boost,
  promote_at_recalls,
  promote_to,
  archive_at_health,
}: Policy) {
  const does = [
    health_decay > 0 && `loses ${health_decay} health a day`,
    recall_boost > 0 && `wins ${recall_boost} with a recall`,
    promote_at_recalls !== null && `becomes \`${promote_to}\` at ${promote_at_recalls} recalls`,
    archive_at_health !== null && `is archived at health ${archive_at_health}`,
  ].filter(Boolean)
  return `- \`${name}\`: ${does.join(', ') || 'stays as it is'}`
}
