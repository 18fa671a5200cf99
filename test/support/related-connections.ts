import type { TestService } from './service.ts'

export type RelatedConnection = { source: string; target: string; strength: number; origin: string }

/** All `related_to` connections of a tenant, as the graph has them. */
export const relatedConnections = (
  service: TestService,
  tenant = service.tenant,
): Promise<RelatedConnection[]> =>
  service.cypher<RelatedConnection>(
    `MATCH (a:Memory {tenant: $tenant})-[r:RELATED_TO]->(b:Memory)
     RETURN a.id AS source, b.id AS target, r.strength AS strength, r.origin AS origin ORDER BY source, target`,
    { tenant },
  )
