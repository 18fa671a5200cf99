import type { Context } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'

/** Lets nobody past but the operator. @throws ServiceError `forbidden` */
export function operatorOnly({ operator }: Context): void {
  if (!operator)
    throw new ServiceError('forbidden', "What concerns all tenants is for the operator's key only.")
}
