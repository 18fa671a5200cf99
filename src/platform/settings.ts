import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { commaList, httpAddress, integer, nonEmpty, number, secret, setting } from './setting-kinds.ts'

/**
 * Every setting, read once at start from the environment. This schema is also what the settings table of the
 * `docs/reference/settings.md` is made from (`npm run docs`).
 */
export const settings = {
  SERVICE_HOST: setting(
    nonEmpty().default('127.0.0.1'),
    'Address to listen on. In development without a key it must be a loopback address.',
  ),
  SERVICE_PORT: setting(
    integer(0, 65_535).default(4545),
    'Port to listen on. Set to 0 to use any free port.',
  ),
  SERVICE_SERVER_API_KEY: setting(
    secret().optional(),
    "The operator's key. Production requires it, with at least 32 characters. In development the service creates a key and prints it.",
  ),
  SERVICE_METRICS_KEY: setting(
    secret().min(16).optional(),
    "A key that may read `/metrics` and nothing else. The operator's key may too.",
  ),
  SERVICE_OIDC_ISSUER: setting(
    httpAddress().optional(),
    'OpenID Connect issuer whose access tokens (JWT) the service accepts in addition to keys. Its metadata must be below `/.well-known/openid-configuration`.',
  ),
  SERVICE_OIDC_AUDIENCE: setting(
    commaList(),
    'Audiences of which a token must name one, comma-separated. MCP hosts request the address of `/mcp` as audience. Required with `SERVICE_OIDC_ISSUER`.',
  ),
  SERVICE_OIDC_TENANT_CLAIM: setting(
    nonEmpty().default('tenant'),
    'Claim of a token that contains the tenant.',
  ),
  SERVICE_OIDC_SCOPE_CLAIM: setting(
    nonEmpty().default('scope'),
    'Claim of a token that contains the scopes `read`, `write`, `delete`, `admin` and `cypher`, as text with spaces or as a list. The prefix `mnemograph:` is allowed.',
  ),
  SERVICE_OIDC_OWNER_CLAIM: setting(
    nonEmpty().optional(),
    'Claim of a token that contains an owner. A token with it uses the private memories of this owner besides the shared ones of the tenant, and never has the scope `admin`. Unset: tokens use shared memories alone.',
  ),
  SERVICE_PUBLIC_URL: setting(
    httpAddress().optional(),
    'Address by which clients reach the service, for instance `https://memory.example.com` or, below a path prefix, `https://example.com/memory`. Pages, `Location` headers and the OAuth metadata of `/mcp` use it. Unset: the host of each request.',
  ),
  NODE_ENV: setting(
    z.enum(['production', 'development', 'test']).default('development'),
    '`production` requires a key and an external Neo4j.',
  ),
  SERVICE_ROLE: setting(
    z.enum(['all', 'api', 'worker']).default('all'),
    '`api` answers requests, `worker` runs the queued jobs, `all` does both.',
  ),
  SERVICE_DATA_DIR: setting(
    nonEmpty().default('.memory'),
    'Folder for the data of the managed Neo4j and for the development key.',
  ),
  SERVICE_NEO4J: setting(
    z.enum(['external', 'docker', 'managed']).optional(),
    'Which Neo4j to use: `external` (at `NEO4J_URI`), `docker` (in a container), or `managed` (run by the service). Unset: the first of these that is available.',
  ),
  NEO4J_URI: setting(
    z
      .string()
      .regex(
        /^(bolt|neo4j)(\+s|\+ssc)?:\/\/./,
        'must start with bolt:// or neo4j://, with +s or +ssc for TLS',
      )
      .optional(),
    'Address of a running Neo4j 2026.02 or newer: `bolt://…` or `neo4j://…`, with `+s` or `+ssc` for TLS.',
  ),
  NEO4J_USERNAME: setting(nonEmpty().default('neo4j'), 'User of that Neo4j.'),
  NEO4J_PASSWORD: setting(z.string().optional(), 'Password of that Neo4j.'),
  NEO4J_DATABASE: setting(nonEmpty().default('neo4j'), 'Database in that Neo4j.'),
  SERVICE_NEO4J_READS: setting(
    z.enum(['followers', 'leader']).default('followers'),
    'For a cluster (`neo4j://…`): `followers` spreads reads over its members, `leader` sends them to the member that takes the writes.',
  ),
  SERVICE_PAGES: setting(
    z.enum(['on', 'off']).optional(),
    'Whether the service serves `/console` and `/graphiql`. Unset: `on`, in production `off`.',
  ),
  SERVICE_WARM_UP: setting(
    z.enum(['on', 'off']).default('on'),
    'Whether the service prepares the first calls of the most used operations in the background after its start. For that it stores a few memories in a tenant of its own and removes them again. `off` saves some seconds of processor time, and first calls take longer.',
  ),
  SERVICE_REQUEST_TIMEOUT_MS: setting(
    integer(100, 600_000).default(15_000),
    'Time limit for a request in milliseconds, from its arrival. A request that takes longer gets a 503.',
  ),
  SERVICE_RATE_LIMIT: setting(
    integer(0, 1_000_000).default(0),
    'Requests per minute for each tenant: all its keys and tokens together. Requests without a valid key count by address. Each process counts alone: the ingress limits across processes. A key can have a limit of its own. Set to 0 for no limit.',
  ),
  SERVICE_QUOTA_MEMORIES: setting(
    integer(0, 1_000_000_000_000).default(0),
    'How many memories a tenant may store, archived ones included, unless the operator sets its own quota. Set to 0 for no limit.',
  ),
  SERVICE_QUOTA_CHARACTERS: setting(
    integer(0, 1_000_000_000_000).default(0),
    'How many characters the contents of those memories may have in all. Set to 0 for no limit.',
  ),
  SERVICE_TENANT_CONCURRENCY: setting(
    integer(1, 80).default(8),
    'Database statements that one tenant may run at the same time in a process. All tenants together may run four times as many, up to 80. A tenant may exceed its share while no other tenant is active, as long as one share stays free. Further statements wait in a fair queue.',
  ),
  SERVICE_AUTO_DISCOVERY_THRESHOLD: setting(
    number(-1, 1).optional(),
    'Cosine similarity at or above which two memories are connected automatically (`auto_discovery_threshold`). Unset: two memories are connected if they stand out among those of their tenant.',
  ),
  SERVICE_DISCOVERY_MAX_EDGES: setting(
    integer(1, 100_000).optional(),
    'Maximum number of discovered connections of a memory in both directions: the nearest ones stay. Unset: 32, or 1,000 if `SERVICE_AUTO_DISCOVERY_THRESHOLD` is set. If this setting or the threshold is set, the job reports when the limit applies.',
  ),
  SERVICE_MAINTENANCE_INTERVAL_SECONDS: setting(
    integer(0, 604_800).default(3600),
    'Interval of lifecycle maintenance for each tenant. Set to 0 to disable scheduled maintenance.',
  ),
  SERVICE_COMMUNITIES_INTERVAL_SECONDS: setting(
    integer(0, 604_800).default(60),
    'How often the worker looks whether a graph has changed enough for new communities. Set to 0 to compute none.',
  ),
  SERVICE_FEED_RETENTION_SECONDS: setting(
    integer(60, 315_360_000).default(604_800),
    'How long the change feed keeps changes. Older ones are removed every hour, also if scheduled maintenance is disabled.',
  ),
  SERVICE_AUDIT_RETENTION_SECONDS: setting(
    integer(3_600, 315_360_000).default(31_536_000),
    'How long the audit log keeps entries. Older ones are removed every hour, also if scheduled maintenance is disabled.',
  ),
  SERVICE_HISTORY_VERSIONS: setting(
    integer(0, 1_000).default(20),
    'How many earlier versions of each memory are kept. Set to 0 to keep none.',
  ),
  SERVICE_FEED_STREAMS: setting(
    integer(1, 100_000).default(1_000),
    'Maximum number of open change streams, and of open WebSockets, in this process.',
  ),
  SERVICE_FEED_STREAMS_PER_KEY: setting(
    integer(1, 100_000).default(100),
    'Maximum number of each for one key. One tenant always leaves this many to others.',
  ),
  SERVICE_WEBHOOK_NETWORKS: setting(
    commaList(
      z.union([z.cidrv4(), z.cidrv6()], 'must be a comma-separated list such as 10.0.0.0/8, fd00::/8'),
    ),
    'Private networks that webhooks may reach, comma-separated, for instance `10.0.0.0/8`. If unset, webhooks reach public addresses only.',
  ),
  SERVICE_EMBEDDING_PROVIDER: setting(
    z.enum(['openai', 'builtin', 'local', 'hash']).optional(),
    'Where embeddings come from. Unset: `openai` when `OPENAI_API_KEY` or `OPENAI_BASE_URL` is set, else `builtin`, a model that runs in the service.',
  ),
  SERVICE_EMBEDDING_MODEL: setting(
    nonEmpty().optional(),
    '`english` or `multilingual` (`builtin`), model name (`openai`, default `text-embedding-3-small`), or hub name or folder (`local`, default `Xenova/all-MiniLM-L6-v2`).',
  ),
  SERVICE_EMBEDDING_DIMENSIONS: setting(
    integer(1, 4096).optional(),
    "Length of the vectors. Unset: the model's own for `openai`, `builtin` and `local`, 384 for `hash`.",
  ),
  SERVICE_EMBEDDING_TIMEOUT_MS: setting(
    integer(50, 600_000).default(10_000),
    'Time limit in milliseconds for one request to the embedding provider.',
  ),
  SERVICE_EMBEDDING_WRITE_WAIT_MS: setting(
    integer(0, 60_000).default(2_000),
    'How long in milliseconds a write waits for its vector. After that the memory is stored without one, and the queue adds it.',
  ),
  SERVICE_RERANK_URL: setting(
    httpAddress().optional(),
    'Address of a reranking model for searches with `rerank`: `POST {model, query, documents}`, answered by `{results: [{index, relevance_score}]}`.',
  ),
  SERVICE_RERANK_MODEL: setting(nonEmpty().optional(), 'Model that the reranking requests name.'),
  SERVICE_RERANK_API_KEY: setting(secret().optional(), 'Key for the reranking model.'),
  SERVICE_RERANK_TIMEOUT_MS: setting(
    integer(50, 60_000).default(2_000),
    'How long in milliseconds a search waits for the reranking model.',
  ),
  SERVICE_MODEL: setting(
    nonEmpty().optional(),
    'Name of a chat model that extracts facts from stored turns and judges how new memories relate. If unset, the service asks no chat model.',
  ),
  SERVICE_MODEL_BASE_URL: setting(
    httpAddress().optional(),
    'Any OpenAI-compatible endpoint for the chat model, for instance `http://127.0.0.1:11434/v1`. Unset: the one of OpenAI.',
  ),
  SERVICE_MODEL_API_KEY: setting(secret().optional(), 'Key for the chat model.'),
  SERVICE_MODEL_TIMEOUT_MS: setting(
    integer(50, 100_000).default(60_000),
    'Time limit in milliseconds for one request to the chat model.',
  ),
  SERVICE_MODEL_DAILY_TOKENS: setting(
    integer(0, 1_000_000_000).default(1_000_000),
    'How many tokens of the chat model each tenant may use in a day (UTC). Jobs wait for the next day. Set to 0 for no limit.',
  ),
  OPENAI_API_KEY: setting(secret().optional(), 'Key for the embedding endpoint.'),
  OPENAI_BASE_URL: setting(
    z.url({ protocol: /^https?$/ }).optional(),
    'Any OpenAI-compatible endpoint, for instance `http://127.0.0.1:11434/v1`.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    httpAddress().optional(),
    'Address of an OpenTelemetry collector for traces by OTLP over HTTP, for instance `http://127.0.0.1:4318`. Unset: no traces.',
  ),
  OTEL_SERVICE_NAME: setting(nonEmpty().default('mnemograph'), 'Name of this service in traces.'),
  OTEL_TRACES_SAMPLER_ARG: setting(
    number(0, 1).default(1),
    'Part of the traces that the service begins and records, 0 to 1. A caller with a `traceparent` header decides for its own.',
  ),
  SERVICE_GRAPHQL_SAFELIST: setting(
    nonEmpty().optional(),
    'File with a manifest of persisted queries. If set, GraphQL runs only the operations in it. The service reads it again when it changes.',
  ),
  SERVICE_GRAPHQL_SAFELIST_MODE: setting(
    z.enum(['enforce', 'log']).default('enforce'),
    '`enforce` refuses operations that are not in the safelist. `log` runs them and logs their names and digests.',
  ),
  SERVICE_LOG_LEVEL: setting(
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
    'Log level. The log is written as JSON lines to standard error.',
  ),
  SERVICE_ALLOWED_HOSTS: setting(
    commaList(
      z
        .string()
        .regex(
          /^([a-z0-9.-]+|\[[0-9a-f:.]+\])$/i,
          'must be a comma-separated list of host names without ports',
        ),
    ),
    'Host names of this service, comma-separated, in addition to those of this machine and of `SERVICE_PUBLIC_URL`. Requests by another name are refused. If unset, the Host header is checked only on a loopback address.',
  ),
  SERVICE_TRUSTED_PROXIES: setting(
    commaList(
      z
        .string()
        .toLowerCase()
        .refine(
          isProxies,
          'must be a comma-separated list of addresses, networks such as 10.0.0.0/8, loopback, linklocal and uniquelocal, or one number of proxies',
        ),
    )
      .refine(
        list => list.length < 2 || !list.some(each => /^\d+$/.test(each)),
        'must be either one number of proxies or a list without numbers',
      )
      .transform(list => (/^\d+$/.test(list[0] ?? '') ? Number(list[0]) : list)),
    'Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` the service believes, comma-separated: addresses, networks such as `10.0.0.0/8`, `loopback`, `linklocal` and `uniquelocal`. Or the number of proxies on the way, if nobody can reach the service without them. By default it believes none.',
  ),
  SERVICE_CORS_ORIGINS: setting(
    commaList(
      z
        .string()
        .toLowerCase()
        .regex(
          /^(\*|[a-z][a-z0-9+.-]*:\/\/(\*\.)?([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:(\d{1,5}|\*))?)$/,
          'must be a comma-separated list of origins such as https://app.example.com, https://*.example.com or http://localhost:*, or *',
        ),
    ),
    'Origins whose pages may call the service from a browser, comma-separated: `https://app.example.com`, `https://*.example.com` for its subdomains, `http://localhost:*` for any port, or `*` for all, then without cookies. Pages of the service itself are always allowed. Outside of production, so are those of `localhost`, `127.0.0.1` and `[::1]`.',
  ),
  SERVICE_SECRETS: setting(
    z.enum(['mark', 'mask', 'refuse']).default('mark'),
    'What a write does with keys, tokens, passwords and card numbers in a memory: `mark` names their kinds in `sensitive`, `mask` stores `[masked: kind]` in their place, `refuse` refuses the write.',
  ),
  SERVICE_MCP_TOOLS: setting(
    z.enum(['all', 'small']).default('all'),
    'Which tools `/mcp` lists: `all`, or `small`, which are six that cost a model fewer than 2,000 tokens. `?tools=` in the address of `/mcp` overrides it, and the stdio bridge passes it on.',
  ),
  SERVICE_MCP_URL: setting(
    z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:4545/mcp'),
    'Address of `/mcp` for the stdio bridge (`mnemograph mcp`).',
  ),
  SERVICE_MCP_API_KEY: setting(
    secret().optional(),
    "For the command line and the stdio bridge: the server's key or a tenant's.",
  ),
}

/** What Express takes as `trust proxy`. */
function isProxies(text: string): boolean {
  if (/^(\d{1,2}|loopback|linklocal|uniquelocal)$/.test(text)) return true
  return ipaddr.isValidCIDR(text) || isIP(text) !== 0
}

/** The settings as name, description and default, in the order in which `docs/reference/settings.md` shows them. */
export const documentedSettings = () =>
  Object.entries(settings).map(([name, setting]) => {
    const fallback = setting.safeParse(undefined).data
    return { name, description: setting.description ?? '', fallback: String(fallback ?? '') }
  })
