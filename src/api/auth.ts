import type { NextFunction, Request, Response } from 'express'
import { type Authenticator, type Credentials, unauthorized } from '../service/access/auth.ts'
import { untilGone } from './signals.ts'

/** The headers of a request, by their names in small letters, and the address of its caller. */
export type Headers = { get(name: string): string | undefined; readonly ip?: string | undefined }

/** Lets a request with a valid key pass. @throws ServiceError like `Authenticator.authenticate` */
export const requireKey = (authenticator: Authenticator) =>
  async function keyRequired(req: Request, res: Response, next: NextFunction) {
    await authenticator.authenticate(credentialsOf(req), untilGone(res))
    next()
  }

/** The key that a request carries, and the tenant it names. @throws ServiceError `unauthorized` */
export const credentialsOf = (req: Headers): Credentials => ({
  key: keyOf(req),
  tenant: req.get('x-tenant-id'),
  address: req.ip,
})

/**
 * The Authorization header, if it is for this service. Next to an X-API-Key, a header of another scheme is for a proxy
 * on the way.
 */
export function authorizationOf(req: Headers): string | undefined {
  const authorization = req.get('authorization')
  const isForUs = req.get('x-api-key') === undefined || /^Bearer\b/i.test(authorization ?? '')
  return isForUs ? authorization : undefined
}

/** The key or token of a request, however the header around it is written. */
export const keyIn = (headers: Headers): string | undefined =>
  /\S+$/.exec(authorizationOf(headers) ?? headers.get('x-api-key') ?? '')?.[0]

function keyOf(req: Headers): string {
  const authorization = authorizationOf(req)
  const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  const header = req.get('x-api-key')
  if (authorization !== undefined && bearer === undefined)
    throw unauthorized('`Authorization` must be `Bearer <key>`.')
  if (bearer !== undefined && header !== undefined && bearer !== header)
    throw unauthorized('`Authorization` and `X-API-Key` have different keys. Send one of them.')
  const key = bearer ?? header
  if (!key)
    throw unauthorized(
      'A key is required. Send it as `Authorization: Bearer <key>` or as `X-API-Key: <key>`.',
    )
  return key
}
