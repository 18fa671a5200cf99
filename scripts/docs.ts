/**
 * Writes the generated parts of the documents: `npm run docs`. Each part is enclosed by two comments with its name,
 * `<!-- settings -->` and `<!-- /settings -->`. Also prints the GraphQL operations, for readers, and the
 * whole GraphQL schema, for programs. Tests check that all are current.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { deriveOperations } from '../src/api/graphql/derived.ts'
import { printServed } from '../src/api/graphql/printed.ts'
import { makeSchema } from '../src/api/graphql/schema.ts'
import { toolName, toolRoutes } from '../src/api/mcp/tools.ts'
import { optionNameOf } from '../src/cli/operations/options.ts'
import { commandSections } from '../src/cli/sections.ts'
import type { Command, Option } from '../src/cli/shell/command.ts'
import { connectionOptions } from '../src/cli/shell/connect.ts'
import { entriesOf, examplesOf } from '../src/cli/shell/program.ts'
import { filters } from '../src/contract/filters.ts'
import { routeNames, routes } from '../src/contract/index.ts'
import { problems } from '../src/contract/problem-codes.ts'
import { documentedSettings } from '../src/platform/settings.ts'
import { jsonSchemaOf } from '../src/service/chat-model/ask.ts'
import { modelPrompts } from '../src/service/chat-model/prompts.ts'

/** The documents with generated parts. */
export const documents = ['settings', 'rest', 'errors', 'mcp', 'command-line', 'model-prompts'].map(
  name => `docs/reference/${name}.md`,
)

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
      ['tool', 'operation', 'scope', 'what it does'],
      toolRoutes.map(name => [code(toolName(name)), code(name), routes[name].scope, routes[name].summary]),
    ),
  commands: () =>
    Object.entries(commandSections)
      .map(([heading, entries]) =>
        [
          `### ${heading.replace(':', '')}`,
          '',
          table(['command', 'does'], Object.entries(entries).flatMap(rowsOf)),
        ].join('\n'),
      )
      .join('\n\n'),
  filters: () => optionsTable(Object.entries(searchOptions()).filter(([name]) => filterNames.has(name))),
  options: () => {
    const shown = new Map<string, string>()
    return documentedCommands()
      .map(([name, command]) => optionsOf(name, command, shown))
      .join('\n\n')
  },
  prompts: () =>
    modelPrompts
      .map(({ name, version, rules, answer }) =>
        [
          `### ${name}/${version}`,
          '',
          '```text',
          rules,
          '```',
          '',
          'The answer:',
          '',
          '```json',
          JSON.stringify(jsonSchemaOf(answer), null, 2),
          '```',
        ].join('\n'),
      )
      .join('\n\n'),
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

/** A row for a command, or for each action of a group. */
function rowsOf([name, entry]: [string, ReturnType<typeof entriesOf>[string]]): string[][] {
  if ('actions' in entry)
    return Object.entries(entry.actions).map(([action, { words, summary }]) => [
      code([name, action, words].filter(Boolean).join(' ')),
      summary,
    ])
  const aliases = (entry.aliases ?? []).map(alias => `, ${code(alias)}`).join('')
  return [[code([name, entry.words].filter(Boolean).join(' ')) + aliases, entry.summary]]
}

/** Every command and action about which there is more to say than the table of commands says. */
const documentedCommands = (): [name: string, Command][] =>
  Object.entries(entriesOf(commandSections))
    .flatMap(([name, entry]): [string, Command][] =>
      'actions' in entry
        ? Object.entries(entry.actions).map(([action, each]) => [`${name} ${action}`, each])
        : [[name, entry]],
    )
    .filter(([, command]) => command.details || command.examples || ownOptions(command).length > 0)

const ownOptions = ({ options }: Command) =>
  Object.entries(options).filter(([option]) => !Object.hasOwn(connectionOptions, option))

/** The options of all commands that choose memories. */
const filterNames = new Set(Object.keys(filters('any')).map(optionNameOf))

const searchOptions = () => (entriesOf(commandSections).search as Command).options

/** Whether it says the same as for a search. `--kind` of a plan is another option; `--valid-at` differs in its default alone. */
const isFilter = (name: string, { describe }: Option) =>
  filterNames.has(name) &&
  ((name === 'valid-at' && describe.startsWith('Only memories')) ||
    describe === searchOptions()[name]?.describe)

/** What it does, an example, and the options of its own. What an earlier command `shown` says in the same words is a link to it. */
function optionsOf(name: string, command: Command, shown: Map<string, string>): string {
  const heading = [name, command.words].filter(Boolean).join(' ')
  const options = ownOptions(command)
  const rest = options.filter(([option, each]) => !isFilter(option, each))
  const takesFilters = Object.hasOwn(command.options, 'none')
  const said = [
    ...(command.details ? [command.details] : []),
    ...(takesFilters ? ['It takes the [filters](#filters).'] : []),
    ...(rest.length > 0 ? [optionsTable(rest)] : []),
  ].join('\n\n')
  const before = shown.get(said)
  if (said) shown.set(said, before ?? heading)
  return [
    `### ${heading}`,
    ['```sh', ...examplesOf(name, command).map(line => `mnemograph ${line}`), '```'].join('\n'),
    ...(before ? [`The same as for [${before.split(' [')[0]}](#${anchorOf(before)}).`] : said ? [said] : []),
  ].join('\n\n')
}

const optionsTable = (options: [string, Option][]) =>
  table(
    ['option', 'meaning'],
    options.map(([option, { short, value, describe }]) => [
      code(`${short ? `-${short}, ` : ''}--${option}${value ? ` ${value}` : ''}`),
      describe,
    ]),
  )

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')

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

/** The queries of the page on the graph as favourites of Neo4j Browser: a file each, whose first line is its name. */
export function browserQueries(): { file: string; text: string }[] {
  const page =
    readFileSync(fileOf('docs/reference/graph-model.md'), 'utf8').split('\n### For operators\n')[0] ?? ''
  const found = page.matchAll(/\n([^\n]+):\n\n```cypher\n(.*?)```/gs)
  return Array.from(found, ([, title = '', query = '']) => ({
    file: `ops/neo4j/browser/${title
      .toLowerCase()
      .replaceAll(/[^a-z]+/g, '-')
      .slice(0, 40)
      .replace(/-$/, '')}.cypher`,
    text: `// ${title}\n${query}`,
  }))
}

const fileOf = (name: string) => new URL(`../${name}`, import.meta.url)

if (import.meta.main) {
  for (const name of documents) writeFileSync(fileOf(name), renew(readFileSync(fileOf(name), 'utf8')))
  for (const { file, text } of browserQueries()) writeFileSync(fileOf(file), text)
  writeFileSync(fileOf('schema/operations.graphql'), printOperations())
  writeFileSync(fileOf('schema/schema.graphql'), printServed(await makeSchema()))
}
