import type { TestService } from './service.ts'

export type PlainEdge = { source: string; target: string; strength: number; origin: string }

/** All `related_to` connections of a tenant, as the graph has them. */
export const relatedEdges = (service: TestService, tenant = service.tenant): Promise<PlainEdge[]> =>
  service.cypher<PlainEdge>(
    `MATCH (a:Memory {tenant: $tenant})-[r:RELATED_TO]->(b:Memory)
     RETURN a.id AS source, b.id AS target, r.strength AS strength, r.origin AS origin ORDER BY source, target`,
    { tenant },
  )

/** Forgets queued work, so that only what is written after this is discovered. */
export const forgetJobs = (service: TestService) =>
  service.cypher('MATCH (j:Job {tenant: $tenant}) DELETE j', { tenant: service.tenant })

/** Lets jobs that wait for another try run now. */
export const endWaits = (service: TestService) =>
  service.cypher(
    "MATCH (j:Job {tenant: $tenant, state: 'waiting'}) SET j.runAt = datetime({year: 2020, timezone: 'Z'})",
    {
      tenant: service.tenant,
    },
  )
