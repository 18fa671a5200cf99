import type { TestService } from '../support/service.ts'

/** Does the work of the model that waits, also what a fault has put off. */
export async function workAgain(service: TestService, tenant: string) {
  await service.cypher(
    "MATCH (j:Job {tenant: $tenant, state: 'waiting'}) SET j.runAt = datetime.realtime('Z')",
    {
      tenant,
    },
  )
  await service.modelWorker?.revive()
  await service.drainModel(tenant)
}
