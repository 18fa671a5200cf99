import { neo4jSettings, type Sizing } from '../../src/platform/neo4j/settings.ts'

/** Our settings as the Neo4j image wants them: `db.lock_time` as `NEO4J_db_lock__time`. */
export const containerSettings = (sizing: Sizing): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ 'server.memory.heap.max_size': `${sizing.heap}m`, ...neo4jSettings(sizing) }).map(
      ([name, value]) => [`NEO4J_${name.replaceAll('_', '__').replaceAll('.', '_')}`, value],
    ),
  )
