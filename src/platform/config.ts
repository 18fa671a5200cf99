import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { z } from 'zod'
import { unknownNames, withoutLinks } from './foreign-names.ts'
import { settings } from './settings.ts'

const schema = z.object(settings)

export type Config = Readonly<ReturnType<typeof shape>> & {
  /** Names with our prefix that another program set. */
  readonly foreign?: readonly string[]
}

/** Names every setting that is wrong or unknown, one line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[], options?: ErrorOptions) {
    super(`The settings are not valid:\n${faults.map(fault => `  - ${fault}`).join('\n')}`, options)
    this.faults = faults
  }
}

/**
 * Reads the settings from an environment, by default the process's own.
 * @throws ConfigError with all faults at once: misspelt `SERVICE_*` names, bad values, and what production forbids.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const { misspelt, foreign } = unknownNames(present)
  const own = withoutLinks(present)
  const parsed = schema.safeParse(own)
  const faults = [
    ...misspelt.map(name => `${name} is not a setting: check its spelling or unset it`),
    ...(parsed.success ? conflicts(parsed.data) : faultsOf(parsed.error)),
    ...(parsed.success ? [] : conflictsDespite(own, parsed.error)),
  ]
  if (faults.length > 0 || !parsed.success) throw new ConfigError(faults)
  return { ...shape(parsed.data), foreign }
}

/**
 * The settings for a program that only calls a service. Unknown names and the requirements of production are ignored.
 * @throws ConfigError with all bad values
 */
export function readClientConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value))
  const parsed = schema.safeParse(withoutLinks(present))
  if (parsed.success) return shape(parsed.data)
  throw new ConfigError(faultsOf(parsed.error))
}

const faultsOf = ({ issues }: z.ZodError) =>
  issues.map(({ path, message }) => `${path.join('.')}: ${message}`)

/** The machine's environment for programs that the service starts, separate from the settings of the operator. */
export type Machine = Readonly<{
  path: readonly string[]
  javaHome: string | undefined
  cacheDir: string
  environment: Readonly<Record<string, string | undefined>>
}>

/** Reads the machine's side of the environment: where programs are, and where this user's caches belong. */
export const readMachine = (environment: Machine['environment'] = process.env): Machine => ({
  path: (environment.PATH ?? environment.Path ?? '').split(delimiter).filter(Boolean),
  javaHome: environment.JAVA_HOME || undefined,
  cacheDir: join(
    environment.XDG_CACHE_HOME || environment.LOCALAPPDATA || join(homedir(), '.cache'),
    'mnemograph',
  ),
  environment,
})

type Settings = z.infer<typeof schema>

/** Conflicts among the valid settings. An invalid one is reported already. */
function conflictsDespite(present: Readonly<Record<string, unknown>>, { issues }: z.ZodError): string[] {
  const bad = issues.map(({ path }) => String(path[0]))
  const others = Object.entries(present).filter(([name]) => !bad.includes(name))
  const readable = schema.safeParse(Object.fromEntries(others))
  const found = readable.success ? conflicts(readable.data) : []
  return found.filter(fault => !bad.some(name => fault.includes(name)))
}

function conflicts(env: Settings): string[] {
  const faults: string[] = []
  const forced = env.SERVICE_NEO4J ?? (env.NEO4J_URI ? 'external' : undefined)
  if (env.SERVICE_NEO4J === 'external' && !env.NEO4J_URI)
    faults.push('NEO4J_URI is required when SERVICE_NEO4J is external')
  if (env.NODE_ENV === 'production') {
    if (!env.SERVICE_SERVER_API_KEY) faults.push('SERVICE_SERVER_API_KEY is required in production')
    else if (env.SERVICE_SERVER_API_KEY.length < 32)
      faults.push('SERVICE_SERVER_API_KEY must have at least 32 characters in production')
    if (forced !== 'external')
      faults.push('NEO4J_URI is required in production, where the service does not run its own Neo4j')
  }
  if (!env.SERVICE_SERVER_API_KEY && !isLoopback(env.SERVICE_HOST))
    faults.push('SERVICE_SERVER_API_KEY is required when SERVICE_HOST is not a loopback address')
  if (env.SERVICE_OIDC_ISSUER && env.SERVICE_OIDC_AUDIENCE.length === 0)
    faults.push('SERVICE_OIDC_AUDIENCE is required with SERVICE_OIDC_ISSUER')
  if (env.SERVICE_MODEL === undefined && (env.SERVICE_MODEL_BASE_URL ?? env.SERVICE_MODEL_API_KEY))
    faults.push('SERVICE_MODEL is required with SERVICE_MODEL_BASE_URL and SERVICE_MODEL_API_KEY')
  return faults
}

/** Whether an address is reached from this machine alone. */
export const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

const tracingOf = (env: Settings) =>
  env.OTEL_EXPORTER_OTLP_ENDPOINT
    ? {
        endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
        serviceName: env.OTEL_SERVICE_NAME,
        ratio: env.OTEL_TRACES_SAMPLER_ARG,
      }
    : undefined

const oidcOf = (env: Settings) =>
  env.SERVICE_OIDC_ISSUER
    ? {
        issuer: env.SERVICE_OIDC_ISSUER,
        audience: env.SERVICE_OIDC_AUDIENCE,
        tenantClaim: env.SERVICE_OIDC_TENANT_CLAIM,
        scopeClaim: env.SERVICE_OIDC_SCOPE_CLAIM,
        ownerClaim: env.SERVICE_OIDC_OWNER_CLAIM,
      }
    : undefined

const rerankOf = (env: Settings) => ({
  url: env.SERVICE_RERANK_URL,
  model: env.SERVICE_RERANK_MODEL,
  apiKey: env.SERVICE_RERANK_API_KEY,
  timeoutMs: env.SERVICE_RERANK_TIMEOUT_MS,
})

const modelOf = (env: Settings) => ({
  name: env.SERVICE_MODEL,
  baseUrl: env.SERVICE_MODEL_BASE_URL,
  apiKey: env.SERVICE_MODEL_API_KEY,
  timeoutMs: env.SERVICE_MODEL_TIMEOUT_MS,
  dailyTokens: env.SERVICE_MODEL_DAILY_TOKENS || Number.POSITIVE_INFINITY,
})

const shape = (env: Settings) => ({
  production: env.NODE_ENV === 'production',
  role: env.SERVICE_ROLE,
  host: env.SERVICE_HOST,
  port: env.SERVICE_PORT,
  serverApiKey: env.SERVICE_SERVER_API_KEY,
  metricsKey: env.SERVICE_METRICS_KEY,
  publicUrl: env.SERVICE_PUBLIC_URL?.replace(/(?<!\/)\/+$/, ''),
  oidc: oidcOf(env),
  dataDir: env.SERVICE_DATA_DIR,
  pages: (env.SERVICE_PAGES ?? (env.NODE_ENV === 'production' ? 'off' : 'on')) === 'on',
  historyVersions: env.SERVICE_HISTORY_VERSIONS,
  warmUp: env.SERVICE_WARM_UP === 'on',
  requestTimeoutMs: env.SERVICE_REQUEST_TIMEOUT_MS,
  rateLimit: env.SERVICE_RATE_LIMIT,
  quota: {
    memories: env.SERVICE_QUOTA_MEMORIES || Number.POSITIVE_INFINITY,
    characters: env.SERVICE_QUOTA_CHARACTERS || Number.POSITIVE_INFINITY,
  },
  tenantConcurrency: env.SERVICE_TENANT_CONCURRENCY,
  logLevel: env.SERVICE_LOG_LEVEL,
  allowedHosts: env.SERVICE_ALLOWED_HOSTS,
  corsOrigins: env.SERVICE_CORS_ORIGINS,
  trustedProxies: env.SERVICE_TRUSTED_PROXIES,
  neo4j: {
    provider: env.SERVICE_NEO4J,
    uri: env.NEO4J_URI,
    username: env.NEO4J_USERNAME,
    password: env.NEO4J_PASSWORD,
    database: env.NEO4J_DATABASE,
    reads: env.SERVICE_NEO4J_READS,
  },
  discovery: {
    threshold: env.SERVICE_AUTO_DISCOVERY_THRESHOLD,
    maxEdges:
      env.SERVICE_DISCOVERY_MAX_EDGES ?? (env.SERVICE_AUTO_DISCOVERY_THRESHOLD === undefined ? 32 : 1_000),
    /** The operator has chosen a bound, and learns where it applies. */
    reportsLimit: (env.SERVICE_DISCOVERY_MAX_EDGES ?? env.SERVICE_AUTO_DISCOVERY_THRESHOLD) !== undefined,
  },
  communities: { intervalSeconds: env.SERVICE_COMMUNITIES_INTERVAL_SECONDS },
  maintenance: { intervalSeconds: env.SERVICE_MAINTENANCE_INTERVAL_SECONDS },
  tracing: tracingOf(env),
  webhookNetworks: env.SERVICE_WEBHOOK_NETWORKS,
  auditRetentionSeconds: env.SERVICE_AUDIT_RETENTION_SECONDS,
  feed: {
    retentionSeconds: env.SERVICE_FEED_RETENTION_SECONDS,
    streams: { all: env.SERVICE_FEED_STREAMS, ofKey: env.SERVICE_FEED_STREAMS_PER_KEY },
  },
  embedding: {
    provider:
      env.SERVICE_EMBEDDING_PROVIDER ?? (env.OPENAI_API_KEY || env.OPENAI_BASE_URL ? 'openai' : 'builtin'),
    model: env.SERVICE_EMBEDDING_MODEL,
    dimensions: env.SERVICE_EMBEDDING_DIMENSIONS,
    timeoutMs: env.SERVICE_EMBEDDING_TIMEOUT_MS,
    writeWaitMs: env.SERVICE_EMBEDDING_WRITE_WAIT_MS,
    apiKey: env.OPENAI_API_KEY,
    baseUrl: env.OPENAI_BASE_URL,
  },
  rerank: rerankOf(env),
  model: modelOf(env),
  graphql: { safelist: env.SERVICE_GRAPHQL_SAFELIST, safelistMode: env.SERVICE_GRAPHQL_SAFELIST_MODE },
  secrets: env.SERVICE_SECRETS,
  mcpTools: env.SERVICE_MCP_TOOLS,
  bridge: { url: env.SERVICE_MCP_URL, apiKey: env.SERVICE_MCP_API_KEY },
})
