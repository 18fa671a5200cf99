import { z } from 'zod'
import { embeddingSettings } from './embedding-settings.ts'
import { modelSettings } from './model-settings.ts'
import { networkSettings } from './network-settings.ts'
import { httpAddress, integer, number, secret } from './setting-kinds.ts'

/**
 * Every setting, read once at start from the environment. This schema is also what the settings table of the
 * `docs/reference/settings.md` is made from (`npm run docs`).
 */
export const settings = {
  SERVICE_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to listen on. In development without a key it must be a loopback address.'),
  SERVICE_PORT: integer(0, 65_535)
    .default(4545)
    .describe('Port to listen on. Set to 0 to use any free port.'),
  SERVICE_SERVER_API_KEY: secret()
    .optional()
    .describe(
      "The operator's key. Production requires it, with at least 32 characters. In development the service creates a key and prints it.",
    ),
  SERVICE_METRICS_KEY: secret()
    .min(16)
    .optional()
    .describe("A key that may read `/metrics` and nothing else. The operator's key may too."),
  SERVICE_OIDC_ISSUER: httpAddress()
    .optional()
    .describe(
      'OpenID Connect issuer whose access tokens (JWT) the service accepts in addition to keys. Its metadata must be below `/.well-known/openid-configuration`.',
    ),
  SERVICE_OIDC_AUDIENCE: z
    .string()
    .optional()
    .transform(text => (text ?? '').split(',').flatMap(name => name.trim() || []))
    .describe(
      'Audiences of which a token must name one, comma-separated. MCP hosts request the address of `/mcp` as audience. Required with `SERVICE_OIDC_ISSUER`.',
    ),
  SERVICE_OIDC_TENANT_CLAIM: z
    .string()
    .min(1)
    .default('tenant')
    .describe('Claim of a token that contains the tenant.'),
  SERVICE_OIDC_SCOPE_CLAIM: z
    .string()
    .min(1)
    .default('scope')
    .describe(
      'Claim of a token that contains the scopes `read`, `write`, `delete`, `admin` and `cypher`, as text with spaces or as a list. The prefix `mnemograph:` is allowed.',
    ),
  SERVICE_OIDC_OWNER_CLAIM: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Claim of a token that contains an owner. A token with it uses the private memories of this owner besides the shared ones of the tenant, and never has the scope `admin`. Unset: tokens use shared memories alone.',
    ),
  SERVICE_PUBLIC_URL: httpAddress()
    .optional()
    .describe(
      'Address by which clients reach the service, for instance `https://memory.example.com` or, below a path prefix, `https://example.com/memory`. Pages, `Location` headers and the OAuth metadata of `/mcp` use it. Unset: the host of each request.',
    ),
  NODE_ENV: z
    .enum(['production', 'development', 'test'])
    .default('development')
    .describe('`production` requires a key and an external Neo4j.'),
  SERVICE_ROLE: z
    .enum(['all', 'api', 'worker'])
    .default('all')
    .describe('`api` answers requests, `worker` runs the queued jobs, `all` does both.'),
  SERVICE_DATA_DIR: z
    .string()
    .min(1)
    .default('.memory')
    .describe('Folder for the data of the managed Neo4j and for the development key.'),
  SERVICE_NEO4J: z
    .enum(['external', 'docker', 'managed'])
    .optional()
    .describe(
      'Which Neo4j to use: `external` (at `NEO4J_URI`), `docker` (in a container), or `managed` (run by the service). Unset: the first of these that is available.',
    ),
  NEO4J_URI: z
    .string()
    .regex(/^(bolt|neo4j)(\+s|\+ssc)?:\/\/./, 'must start with bolt:// or neo4j://, with +s or +ssc for TLS')
    .optional()
    .describe(
      'Address of a running Neo4j 2026.02 or newer: `bolt://…` or `neo4j://…`, with `+s` or `+ssc` for TLS.',
    ),
  NEO4J_USERNAME: z.string().min(1).default('neo4j').describe('User of that Neo4j.'),
  NEO4J_PASSWORD: z.string().optional().describe('Password of that Neo4j.'),
  NEO4J_DATABASE: z.string().min(1).default('neo4j').describe('Database in that Neo4j.'),
  SERVICE_NEO4J_READS: z
    .enum(['followers', 'leader'])
    .default('followers')
    .describe(
      'For a cluster (`neo4j://…`): `followers` spreads reads over its members, `leader` sends them to the member that takes the writes.',
    ),
  SERVICE_PAGES: z
    .enum(['on', 'off'])
    .optional()
    .describe('Whether the service serves `/console` and `/graphiql`. Unset: `on`, in production `off`.'),
  SERVICE_WARM_UP: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether the service prepares the first calls of the most used operations in the background after its start. For that it stores a few memories in a tenant of its own and removes them again. `off` saves some seconds of processor time, and first calls take longer.',
    ),
  SERVICE_REQUEST_TIMEOUT_MS: integer(100, 600_000)
    .default(15_000)
    .describe(
      'Time limit for a request in milliseconds, from its arrival. A request that takes longer gets a 503.',
    ),
  SERVICE_RATE_LIMIT: integer(0, 1_000_000)
    .default(0)
    .describe(
      'Requests per minute for each tenant: all its keys and tokens together. Requests without a valid key count by address. Each process counts alone: the ingress limits across processes. A key can have a limit of its own. Set to 0 for no limit.',
    ),
  SERVICE_QUOTA_MEMORIES: integer(0, 1_000_000_000_000)
    .default(0)
    .describe(
      'How many memories a tenant may store, archived ones included, unless the operator sets its own quota. Set to 0 for no limit.',
    ),
  SERVICE_QUOTA_CHARACTERS: integer(0, 1_000_000_000_000)
    .default(0)
    .describe('How many characters the contents of those memories may have in all. Set to 0 for no limit.'),
  SERVICE_TENANT_CONCURRENCY: integer(1, 80)
    .default(8)
    .describe(
      'Database statements that one tenant may run at the same time in a process. All tenants together may run four times as many, up to 80. A tenant may exceed its share while no other tenant is active, as long as one share stays free. Further statements wait in a fair queue.',
    ),
  SERVICE_AUTO_DISCOVERY_THRESHOLD: number(-1, 1)
    .optional()
    .describe(
      'Cosine similarity at or above which two memories are connected automatically (`auto_discovery_threshold`). Unset: two memories are connected if they stand out among those of their tenant.',
    ),
  SERVICE_DISCOVERY_MAX_EDGES: integer(1, 100_000)
    .optional()
    .describe(
      'Maximum number of discovered connections of a memory in both directions: the nearest ones stay. Unset: 32, or 1,000 if `SERVICE_AUTO_DISCOVERY_THRESHOLD` is set. If this setting or the threshold is set, the job reports when the limit applies.',
    ),
  SERVICE_MAINTENANCE_INTERVAL_SECONDS: integer(0, 604_800)
    .default(3600)
    .describe(
      'Interval of lifecycle maintenance for each tenant. Set to 0 to disable scheduled maintenance.',
    ),
  SERVICE_COMMUNITIES_INTERVAL_SECONDS: integer(0, 604_800)
    .default(60)
    .describe(
      'How often the worker looks whether a graph has changed enough for new communities. Set to 0 to compute none.',
    ),
  SERVICE_FEED_RETENTION_SECONDS: integer(60, 315_360_000)
    .default(604_800)
    .describe(
      'How long the change feed keeps changes. Older ones are removed every hour, also if scheduled maintenance is disabled.',
    ),
  SERVICE_AUDIT_RETENTION_SECONDS: integer(3_600, 315_360_000)
    .default(31_536_000)
    .describe(
      'How long the audit log keeps entries. Older ones are removed every hour, also if scheduled maintenance is disabled.',
    ),
  SERVICE_HISTORY_VERSIONS: integer(0, 1_000)
    .default(20)
    .describe('How many earlier versions of each memory are kept. Set to 0 to keep none.'),
  SERVICE_FEED_STREAMS: integer(1, 100_000)
    .default(1_000)
    .describe('Maximum number of open change streams, and of open WebSockets, in this process.'),
  SERVICE_FEED_STREAMS_PER_KEY: integer(1, 100_000)
    .default(100)
    .describe('Maximum number of each for one key. One tenant always leaves this many to others.'),
  SERVICE_WEBHOOK_NETWORKS: z
    .string()
    .optional()
    .transform(text => (text ?? '').split(',').flatMap(name => name.trim() || []))
    .pipe(
      z.array(
        z.union([z.cidrv4(), z.cidrv6()], 'must be a comma-separated list such as 10.0.0.0/8, fd00::/8'),
      ),
    )
    .describe(
      'Private networks that webhooks may reach, comma-separated, for instance `10.0.0.0/8`. If unset, webhooks reach public addresses only.',
    ),
  ...embeddingSettings,
  ...modelSettings,
  OPENAI_API_KEY: secret().optional().describe('Key for the embedding endpoint.'),
  OPENAI_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Any OpenAI-compatible endpoint, for instance `http://127.0.0.1:11434/v1`.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpAddress()
    .optional()
    .describe(
      'Address of an OpenTelemetry collector for traces by OTLP over HTTP, for instance `http://127.0.0.1:4318`. Unset: no traces.',
    ),
  OTEL_SERVICE_NAME: z.string().min(1).default('mnemograph').describe('Name of this service in traces.'),
  OTEL_TRACES_SAMPLER_ARG: number(0, 1)
    .default(1)
    .describe(
      'Part of the traces that the service begins and records, 0 to 1. A caller with a `traceparent` header decides for its own.',
    ),
  SERVICE_GRAPHQL_SAFELIST: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File with a manifest of persisted queries. If set, GraphQL runs only the operations in it. The service reads it again when it changes.',
    ),
  SERVICE_GRAPHQL_SAFELIST_MODE: z
    .enum(['enforce', 'log'])
    .default('enforce')
    .describe(
      '`enforce` refuses operations that are not in the safelist. `log` runs them and logs their names and digests.',
    ),
  SERVICE_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('Log level. The log is written as JSON lines to standard error.'),
  SERVICE_ALLOWED_HOSTS: z
    .string()
    .optional()
    .transform(text => (text ?? '').split(',').flatMap(name => name.trim() || []))
    .pipe(
      z.array(
        z
          .string()
          .regex(
            /^([a-z0-9.-]+|\[[0-9a-f:.]+\])$/i,
            'must be a comma-separated list of host names without ports',
          ),
      ),
    )
    .describe(
      'Host names of this service, comma-separated, in addition to those of this machine and of `SERVICE_PUBLIC_URL`. Requests by another name are refused. If unset, the Host header is checked only on a loopback address.',
    ),
  ...networkSettings,
  SERVICE_SECRETS: z
    .enum(['mark', 'mask', 'refuse'])
    .default('mark')
    .describe(
      'What a write does with keys, tokens, passwords and card numbers in a memory: `mark` names their kinds in `sensitive`, `mask` stores `[masked: kind]` in their place, `refuse` refuses the write.',
    ),
  SERVICE_MCP_TOOLS: z
    .enum(['all', 'small'])
    .default('all')
    .describe(
      'Which tools `/mcp` lists: `all`, or `small`, which are six that cost a model fewer than 2,000 tokens. `?tools=` in the address of `/mcp` overrides it, and the stdio bridge passes it on.',
    ),
  SERVICE_MCP_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:4545/mcp')
    .describe('Address of `/mcp` for the stdio bridge (`mnemograph mcp`).'),
  SERVICE_MCP_API_KEY: secret()
    .optional()
    .describe("For the command line and the stdio bridge: the server's key or a tenant's."),
}

/** The settings as name, description and default, in the order in which `docs/reference/settings.md` shows them. */
export const documentedSettings = () =>
  Object.entries(settings).map(([name, setting]) => {
    const fallback = setting.safeParse(undefined).data
    return { name, description: setting.description ?? '', fallback: String(fallback ?? '') }
  })
