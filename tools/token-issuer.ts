import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import Provider, { type JWK } from 'oidc-provider'

export const CLIENT = { client_id: 'an-agent', client_secret: 'secret-of-an-agent' }

/** A signing key of an issuer; the service accepts `RS256`, `ES256` and `EdDSA`. */
export async function makeSigningKey(alg = 'ES256', kid: string = crypto.randomUUID()) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return {
    alg,
    kid,
    privateKey,
    publicKey,
    jwk: { ...(await exportJWK(privateKey)), alg, kid, use: 'sig' } as JWK,
  }
}

export type SigningKey = Awaited<ReturnType<typeof makeSigningKey>>

/** A token as the holder of a key can sign it. */
export const signToken = (key: SigningKey, claims: object, header: object = {}): Promise<string> =>
  new SignJWT(claims as JWTPayload)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey)

type Issuing = { audience: string; claims: object; keys: readonly SigningKey[] }

/**
 * A true OpenID Connect issuer on a free port of this machine, with one client that signs in by its secret. `rotate` gives
 * it other keys.
 */
export async function startTokenIssuer({ audience, claims, keys }: Issuing) {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let handle = makeProvider(issuer, { audience, claims, keys }).callback()
  server.on('request', (req, res) => void handle(req, res))
  return {
    issuer,
    rotate(next: readonly SigningKey[]) {
      handle = makeProvider(issuer, { audience, claims, keys: next }).callback()
    },
    async token(scope: string): Promise<string> {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${CLIENT.client_id}:${CLIENT.client_secret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope, resource: audience }),
      })
      return ((await response.json()) as { access_token: string }).access_token
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

const SCOPES = 'read write admin'

const makeProvider = (issuer: string, { audience, claims, keys }: Issuing) =>
  new Provider(issuer, {
    clients: [
      {
        ...CLIENT,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: keys.map(({ jwk }) => jwk) },
    scopes: SCOPES.split(' '),
    extraTokenClaims: () => ({ ...claims, sub: CLIENT.client_id }),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: () => ({
          scope: SCOPES,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  })
