import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

/** Which proxies and which pages of the web the service believes. */
export const networkSettings = {
  SERVICE_TRUSTED_PROXIES: z
    .string()
    .optional()
    .transform(text => (text ?? '').split(',').flatMap(name => name.trim().toLowerCase() || []))
    .pipe(
      z.array(
        z
          .string()
          .refine(
            isProxies,
            'must be a comma-separated list of addresses, networks such as 10.0.0.0/8, loopback, linklocal and uniquelocal, or one number of proxies',
          ),
      ),
    )
    .refine(
      list => list.length < 2 || !list.some(each => /^\d+$/.test(each)),
      'must be either one number of proxies or a list without numbers',
    )
    .transform(list => (/^\d+$/.test(list[0] ?? '') ? Number(list[0]) : list))
    .describe(
      'Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` the service believes, comma-separated: addresses, networks such as `10.0.0.0/8`, `loopback`, `linklocal` and `uniquelocal`. Or the number of proxies on the way, if nobody can reach the service without them. By default it believes none.',
    ),
  SERVICE_CORS_ORIGINS: z
    .string()
    .optional()
    .transform(text => (text ?? '').split(',').flatMap(origin => origin.trim().toLowerCase() || []))
    .pipe(
      z.array(
        z
          .string()
          .regex(
            /^(\*|[a-z][a-z0-9+.-]*:\/\/(\*\.)?([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:(\d{1,5}|\*))?)$/,
            'must be a comma-separated list of origins such as https://app.example.com, https://*.example.com or http://localhost:*, or *',
          ),
      ),
    )
    .describe(
      'Origins whose pages may call the service from a browser, comma-separated: `https://app.example.com`, `https://*.example.com` for its subdomains, `http://localhost:*` for any port, or `*` for all, then without cookies. Pages of the service itself are always allowed. Outside of production, so are those of `localhost`, `127.0.0.1` and `[::1]`.',
    ),
}

/** What Express takes as `trust proxy`. */
function isProxies(text: string): boolean {
  if (/^(\d{1,2}|loopback|linklocal|uniquelocal)$/.test(text)) return true
  return ipaddr.isValidCIDR(text) || isIP(text) !== 0
}
