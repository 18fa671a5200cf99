import type { Deed } from './clients.ts'

/** A moment in the life of a request or of queued work, identified by the statement that is on the line then; and the deed that leads there. */
export type Point = { name: string; at: string; when: 'sent' | 'commit' | 'answered'; deed: Deed }

/** Where the service is killed: before the database hears of something, and after it is committed and before its answer. */
export const points: readonly Point[] = [
  {
    name: 'create, before it is sent',
    at: 'CREATE (m:Memory {',
    when: 'sent',
    deed: 'create',
  },
  {
    name: 'create, committed and not answered',
    at: 'CREATE (m:Memory {',
    when: 'answered',
    deed: 'create',
  },
  { name: 'key taken and not answered', at: 'MERGE (i:IdempotentRequest', when: 'answered', deed: 'keyed' },
  { name: 'answer kept for its key, not given', at: 'i.answer = CASE', when: 'answered', deed: 'keyed' },
  { name: 'change, committed and not answered', at: 'SET m += row.set', when: 'answered', deed: 'patch' },
  {
    name: 'archiving, committed and not answered',
    at: 'SET m += row.set',
    when: 'answered',
    deed: 'archive',
  },
  { name: 'new key, before its commit', at: 'MERGE (k:ApiKey {id: $id})', when: 'commit', deed: 'key' },
  {
    name: 'new key, committed and not answered',
    at: 'MERGE (k:ApiKey {id: $id})',
    when: 'answered',
    deed: 'key',
  },
  { name: 'removal, before its commit', at: 'DETACH DELETE m', when: 'commit', deed: 'remove' },
  { name: 'removal, committed and not answered', at: 'DETACH DELETE m', when: 'answered', deed: 'remove' },
  { name: 'claim, before it is sent', at: "SET j.state = 'running', j.owner", when: 'sent', deed: 'create' },
  {
    name: 'claim, committed and not answered',
    at: "SET j.state = 'running', j.owner",
    when: 'answered',
    deed: 'create',
  },
  { name: 'vector, before it is stored', at: 'm.revision = row.revision', when: 'sent', deed: 'create' },
  {
    name: 'vector, between its commit and the search',
    at: 'm.revision = row.revision',
    when: 'answered',
    deed: 'create',
  },
  {
    name: 'search, between it and the connections',
    at: 'collect(CASE WHEN cosine >= row.floor',
    when: 'answered',
    deed: 'create',
  },
  {
    name: 'connections, before their commit',
    at: 'SET m.discoveredRevision = row.revision',
    when: 'commit',
    deed: 'create',
  },
  {
    name: 'connections, committed and not answered',
    at: 'SET m.discoveredRevision = row.revision',
    when: 'answered',
    deed: 'create',
  },
]
