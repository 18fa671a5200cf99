import type { Context } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'

/** Lets nobody past but the operator. @throws ServiceError `forbidden` */
export function operatorOnly({ operator }: Context): void {
  if (!operator) throw new ServiceError('forbidden', "Only the operator's key can do this.")
}
