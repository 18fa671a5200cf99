import { z } from 'zod'

/**
 * Every setting, read once at start from the environment. This schema is also what the settings table of the
 * `docs/settings.md` is made from (`npm run docs`).
 */
export const settings = {
  SERVICE_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to listen on. In development without a key it must be a loopback address.'),
  SERVICE_PORT: integer(0, 65_535).default(4545).describe('Port to listen on; 0 takes a free one.'),
  SERVICE_SERVER_API_KEY: z
    .string()
    .regex(
      /^[\x21-\x7e]+$/,
      'must be of ASCII letters, digits and marks, without blanks, to fit into a header',
    )
    .optional()
    .describe(
      "The operator's key. Required in production (at least 32 characters there); in development one is made and printed.",
    ),
  NODE_ENV: z
    .enum(['production', 'development', 'test'])
    .default('development')
    .describe('`production` insists on a key and on a Neo4j that the service did not start itself.'),
  SERVICE_ROLE: z
    .enum(['all', 'api', 'worker'])
    .default('all')
    .describe('`api` answers requests, `worker` does the queued work, `all` does both.'),
  SERVICE_DATA_DIR: z
    .string()
    .min(1)
    .default('.memory')
    .describe('Where the managed Neo4j keeps its data, and the service the key it makes for development.'),
  SERVICE_NEO4J: z
    .enum(['external', 'docker', 'managed'])
    .optional()
    .describe(
      'Forces one way to a Neo4j: the one at `NEO4J_URI`, one in Docker, or one that the service runs. Unset: the first that is possible.',
    ),
  NEO4J_URI: z
    .string()
    .regex(/^(bolt|neo4j)(\+s|\+ssc)?:\/\/./, 'must begin with bolt:// or neo4j://, with +s or +ssc for TLS')
    .optional()
    .describe(
      'Address of a running Neo4j 2026.02 or newer: `bolt://…` or `neo4j://…`, with `+s` or `+ssc` for TLS.',
    ),
  NEO4J_USERNAME: z.string().min(1).default('neo4j').describe('User of that Neo4j.'),
  NEO4J_PASSWORD: z.string().optional().describe('Password of that Neo4j.'),
  NEO4J_DATABASE: z.string().min(1).default('neo4j').describe('Database in that Neo4j.'),
  SERVICE_PAGES: z
    .enum(['on', 'off'])
    .optional()
    .describe('Whether `/explorer` and `/graphiql` are served. Unset: `on`, in production `off`.'),
  SERVICE_REQUEST_TIMEOUT_MS: integer(100, 600_000)
    .default(15_000)
    .describe(
      'Longest time in milliseconds that the work of a request may take, from when it has arrived, before it is answered with 503.',
    ),
  SERVICE_RATE_LIMIT: integer(0, 1_000_000)
    .default(0)
    .describe('Requests a minute for each credential; 0 is no limit.'),
  SERVICE_TENANT_CONCURRENCY: integer(1, 80)
    .default(8)
    .describe(
      'Statements that a tenant among others may have under way in the database at once, for each process. All tenants together may have four times as many, but 80 at most; a tenant that is alone may have more, as long as one share is left. What comes beyond waits: tenants take turns.',
    ),
  SERVICE_AUTO_DISCOVERY_THRESHOLD: number(-1, 1)
    .default(0.7)
    .describe(
      'Raw cosine from which on two memories are connected automatically (`auto_discovery_threshold`), inclusive.',
    ),
  SERVICE_DISCOVERY_MAX_EDGES: integer(1, 100_000)
    .default(1000)
    .describe(
      'Most connections that one discovery may make, strongest first; reported on the job when it bites.',
    ),
  SERVICE_MAINTENANCE_INTERVAL_SECONDS: integer(0, 604_800)
    .default(3600)
    .describe('How often lifecycle maintenance runs for each tenant; 0 is never by itself.'),
  SERVICE_FEED_RETENTION_SECONDS: integer(60, 315_360_000)
    .default(604_800)
    .describe('How long the feed of changes keeps them; maintenance forgets what is older.'),
  SERVICE_FEED_STREAMS: integer(1, 100_000)
    .default(1_000)
    .describe('How many streams of changes, and how many websockets, may be open at a time in this process.'),
  SERVICE_FEED_STREAMS_PER_KEY: integer(1, 100_000)
    .default(100)
    .describe('How many of either with one key. One tenant leaves as many to the others.'),
  SERVICE_EMBEDDING_PROVIDER: z
    .enum(['openai', 'local', 'hash'])
    .optional()
    .describe(
      'Where vectors come from. Unset: `openai` when `OPENAI_API_KEY` or `OPENAI_BASE_URL` is set, else `hash`.',
    ),
  SERVICE_EMBEDDING_MODEL: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Model name (`openai`, default `text-embedding-3-small`), or hub name or folder (`local`, default `Xenova/all-MiniLM-L6-v2`).',
    ),
  SERVICE_EMBEDDING_DIMENSIONS: integer(1, 4096)
    .optional()
    .describe("Length of the vectors. Unset: the model's own for `openai` and `local`, 384 for `hash`."),
  SERVICE_EMBEDDING_TIMEOUT_MS: integer(50, 600_000)
    .default(10_000)
    .describe('Longest time in milliseconds for one request to the embedding provider.'),
  SERVICE_EMBEDDING_WRITE_WAIT_MS: integer(0, 60_000)
    .default(2_000)
    .describe(
      'How long in milliseconds a write waits for its vector before it is stored without one; the queue then makes it.',
    ),
  OPENAI_API_KEY: z.string().min(1).optional().describe('Key for the embedding endpoint.'),
  OPENAI_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Any OpenAI-compatible endpoint, for instance `http://127.0.0.1:11434/v1`.'),
  SERVICE_GRAPHQL_SAFELIST: z
    .string()
    .min(1)
    .optional()
    .describe('A manifest of persisted queries: GraphQL then answers the operations in it, and no others.'),
  SERVICE_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('How much is logged, as JSON lines on standard error.'),
  SERVICE_ALLOWED_HOSTS: z
    .string()
    .optional()
    .transform(text => (text ?? '').split(',').flatMap(name => name.trim() || []))
    .pipe(z.array(z.string().regex(/^([a-z0-9.-]+|\[[0-9a-f:.]+\])$/i, 'must be host names without ports')))
    .describe(
      'Host names of this service, comma-separated, in addition to those of this machine. Requests by another name are refused, and pages of other hosts cannot use `/mcp` or websockets. If unset, the Host header is checked only on a loopback address.',
    ),
  SERVICE_MCP_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:4545/mcp')
    .describe('For the stdio bridge (`mnemograph mcp`): where `/mcp` answers.'),
  SERVICE_MCP_API_KEY: z
    .string()
    .min(1)
    .optional()
    .describe("For the command line and the stdio bridge: the server's key or a tenant's."),
}

/** The settings as name, description and default, in the order in which `docs/settings.md` shows them. */
export const documentedSettings = () =>
  Object.entries(settings).map(([name, setting]) => {
    const fallback = setting.safeParse(undefined).data
    return { name, description: setting.description ?? '', fallback: String(fallback ?? '') }
  })

/** Text of digits as an integer; `1e3`, `0x10` and blanks are refused. */
function integer(minimum: number, maximum: number) {
  return z
    .string()
    .regex(/^-?\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
}

function number(minimum: number, maximum: number) {
  return z
    .string()
    .regex(/^-?\d+(\.\d+)?$/, 'must be a number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum))
}
