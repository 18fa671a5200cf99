/**
 * Writes the generated parts of the documents: `npm run docs`. Each part is enclosed by two comments with its name,
 * `<!-- settings -->` and `<!-- /settings -->`. Also prints the GraphQL operations, for readers. Tests check that both are
 * current.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { deriveOperations } from '../src/api/graphql/derived.ts'
import { toolName, toolRoutes, tools } from '../src/api/mcp/tools.ts'
import { routeNames, routes } from '../src/contract/index.ts'
import { problems } from '../src/contract/problems.ts'
import { documentedSettings } from '../src/platform/settings.ts'

/** The documents with generated parts. */
export const documents = ['docs/settings.md', 'docs/api.md', 'docs/mcp.md']

const generated: Record<string, () => string> = {
  settings: () =>
    table(
      ['setting', 'default', 'meaning'],
      documentedSettings().map(({ name, fallback, description }) => [
        code(name),
        fallback && code(fallback),
        description,
      ]),
    ),
  operations: () =>
    table(
      ['call', 'name', 'scope', 'what it does'],
      routeNames.map(name => {
        const { method, path, scope, summary } = routes[name]
        return [code(`${method} ${path}`), code(name), scope, summary]
      }),
    ),
  tools: () =>
    table(
      ['tool', 'operation', 'scope', 'when to use it'],
      toolRoutes.map(name => [code(toolName(name)), code(name), routes[name].scope, tools[name].use]),
    ),
  problems: () =>
    table(
      ['status', 'code', 'title', 'cause and remedy'],
      Object.entries(problems).map(([name, { status, title, description }]) => [
        String(status),
        code(name),
        title,
        description,
      ]),
    ),
}

/** A document with its parts generated again. @throws when it names an unknown part */
export const renew = (text: string): string =>
  text.replaceAll(/<!-- (\w+) -->.*?<!-- \/\1 -->/gs, (_, name: string) => {
    const make = generated[name]
    if (!make) throw new Error(`Unknown part “${name}”`)
    return `<!-- ${name} -->\n${make()}\n<!-- /${name} -->`
  })

const code = (text: string) => `\`${text}\``

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

const header = `# The GraphQL operations and their types. \`npm run docs\` prints this file from src/contract. Do not edit it.
# The service serves the same definitions. types.graphql has the types that are written by hand.

`

/** `schema/operations.graphql`: the definitions that the service derives from the contract. */
export const printOperations = () => `${header}${deriveOperations()}\n`

const fileOf = (name: string) => new URL(`../${name}`, import.meta.url)

if (import.meta.main) {
  for (const name of documents) writeFileSync(fileOf(name), renew(readFileSync(fileOf(name), 'utf8')))
  writeFileSync(fileOf('schema/operations.graphql'), printOperations())
}
