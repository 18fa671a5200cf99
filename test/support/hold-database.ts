/** A process that takes a database for the data folder it is given, says so on standard output, and holds it. */
import { readConfig } from '../../src/platform/config.ts'
import { findDatabase } from '../../src/platform/neo4j/index.ts'

const config = readConfig({ SERVICE_NEO4J: 'managed', SERVICE_DATA_DIR: process.argv[2] })
const { uri, password } = await findDatabase(config, () => {})
process.stdout.write(`${JSON.stringify({ uri, password })}\n`)
setInterval(() => {}, 60_000)
