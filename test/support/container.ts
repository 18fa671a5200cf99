import { type Memory, neo4jSettings } from '../../src/platform/neo4j/settings.ts'

/** Our settings as the Neo4j image wants them: `db.lock_time` as `NEO4J_db_lock__time`. */
export const containerSettings = (memory: Memory): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ 'server.memory.heap.max_size': `${memory.heap}m`, ...neo4jSettings(memory) }).map(
      ([name, value]) => [`NEO4J_${name.replaceAll('_', '__').replaceAll('.', '_')}`, value],
    ),
  )
