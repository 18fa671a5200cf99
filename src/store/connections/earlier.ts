import { NOW } from '../neo4j/projections.ts'
import { copiedProperties } from './fields.ts'

/** When a connection `r` became as it is: later than its creation where it changed since, or a merge or an import gave it its age. */
export const recordedAt = (r: string) => `coalesce(${r}.recordedAt, ${r}.createdAt)`

/**
 * The part of a statement that keeps a connection `r` as it was until `until`, before it changes or goes. It is a node, so
 * that walks over what stands never meet it.
 */
export const keepConnection = (
  r: string,
  source = `startNode(${r})`,
  target = `endNode(${r})`,
  until = NOW,
) => `CREATE (:EarlierConnection {tenant: ${source}.tenant, sourceId: ${source}.id, targetId: ${target}.id, type: type(${r}),
      ${copiedProperties(r)}, at: ${recordedAt(r)}, until: ${until}})`

/** The same for a connection that is about to change if a condition holds: from `now` on it is another one. */
export const keepChanged = (condition: string, r: string, source?: string, target?: string) =>
  `FOREACH (_ IN CASE WHEN ${condition} THEN [1] ELSE [] END |
      ${keepConnection(r, source, target, 'now')}
      SET ${r}.recordedAt = now)`

/** Earlier connections `c` that begin or end at a memory: the index is used where all of its properties are named. */
export const earlierAt = (end: 'sourceId' | 'targetId', tenant: string, id: string) =>
  `MATCH (c:EarlierConnection {tenant: ${tenant}, ${end}: ${id}}) WHERE c.until IS NOT NULL`

/** The part of a statement that removes the earlier connections of a memory `m`. */
export const removeEarlier = (m: string) =>
  `CALL (${m}) {
      CALL (${m}) {
        ${earlierAt('sourceId', `${m}.tenant`, `${m}.id`)} RETURN c
        UNION ${earlierAt('targetId', `${m}.tenant`, `${m}.id`)} RETURN c
      }
      DELETE c
    }`
