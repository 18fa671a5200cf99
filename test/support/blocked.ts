import type { TestService } from './service.ts'

/** Whether something that a service does for a tenant has been waiting for a lock for so many milliseconds. */
export async function isBlocked(service: TestService, tenant: string, ms = 0): Promise<boolean> {
  const waiting = await service.cypher<{ parameters: object }>(
    `SHOW TRANSACTIONS YIELD status, parameters, elapsedTime
    WHERE status STARTS WITH 'Blocked' AND elapsedTime.milliseconds >= $ms
    RETURN parameters`,
    { ms },
  )
  return waiting.some(({ parameters }) => JSON.stringify(parameters).includes(tenant))
}
