import { join } from 'node:path'

/** Memory of a managed Neo4j in megabytes, and further settings in addition to ours. */
export type Sizing = { heap: number; pageCache: number; others?: Record<string, string> }

/** The settings of a managed Neo4j, as the lines of its `neo4j.conf`. */
export const neo4jConf = (port: number, sizing: Sizing) =>
  Object.entries({
    // Neo4j takes the advertised port from its default and not from the listen address.
    'server.bolt.listen_address': `127.0.0.1:${port}`,
    'server.bolt.advertised_address': `127.0.0.1:${port}`,
    ...neo4jSettings(sizing),
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')

/** The settings of a Neo4j of ours, in any place where it runs; docker-compose.yml repeats them in its own form. */
export const neo4jSettings = (sizing: Sizing): Record<string, string> => ({
  'server.http.enabled': 'false',
  'server.https.enabled': 'false',
  // The driver has no read time-out: twice this is when it notices that a server hangs.
  'server.bolt.connection_keep_alive': '5s',
  // Both wait their full time, 5 s each, also when nothing is connected: a stop would take 10 s.
  'internal.server.bolt.connection_shutdown_wait_time': '500ms',
  'internal.server.bolt.thread_pool_shutdown_wait_time': '500ms',
  'db.transaction.timeout': '30s',
  'db.lock.acquisition.timeout': '5s',
  'db.shutdown_transaction_end_timeout': '3s',
  'db.memory.transaction.max': '256m',
  'dbms.memory.transaction.total.max': `${Math.floor(sizing.heap * 0.6)}m`,
  // Each commit adds a part to the vector index, and a search looks into all. With 50, the default, many are left.
  'internal.dbms.index.vector.standard_merge_factor': '10',
  // The first memories in an empty store make each plan stale, just when people begin. Our statements name their indexes,
  // so their plans stay as they are; those of the GraphQL library follow the store after this time.
  'dbms.cypher.min_replan_interval': '2m',
  // One plan for texts and lists of any length, not one for each order of magnitude.
  'internal.cypher.use_parameter_size': 'false',
  'server.memory.pagecache.size': `${sizing.pageCache}m`,
  'db.query.default_language': 'CYPHER_25',
  'db.tx_log.preallocate': 'false',
  'dbms.security.auth_enabled': 'true',
  'dbms.security.allow_csv_import_from_file_urls': 'false',
  'internal.dbms.cypher_ip_blocklist': '0.0.0.0/0,::/0',
  'dbms.usage_report.enabled': 'false',
  'server.config.strict_validation.enabled': 'true',
  ...sizing.others,
})

/**
 * The arguments of `java` that run Neo4j. Java keeps the loaded classes in `archive` when Neo4j stops for the first time,
 * and starts from them afterwards: a third less processor time for some 125 MB. It makes one that does not fit again.
 */
export const serverArguments = (folder: string, classpath: string, sizing: Sizing, archive: string) => [
  '-XX:+AutoCreateSharedArchive',
  `-XX:SharedArchiveFile=${archive}`,
  '--add-opens=java.base/java.nio=ALL-UNNAMED',
  '--add-opens=java.base/java.io=ALL-UNNAMED',
  '--add-opens=java.base/sun.nio.ch=ALL-UNNAMED',
  '--enable-native-access=ALL-UNNAMED',
  '--add-modules',
  'jdk.incubator.vector',
  '-XX:+ExitOnOutOfMemoryError',
  `-Xms${Math.min(256, sizing.heap)}m`,
  `-Xmx${sizing.heap}m`,
  '-cp',
  classpath,
  'org.neo4j.server.Neo4jCommunity',
  `--home-dir=${join(folder, 'home')}`,
  `--config-dir=${join(folder, 'conf')}`,
]

/** The text of a file for `java @file`: with the class path, of 20 kB, a command is longer than Windows allows. */
export const argumentFile = (args: readonly string[]) =>
  args.map(arg => `"${arg.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"\n`).join('')
