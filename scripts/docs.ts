/**
 * Writes into the documents what the code knows: `npm run docs`. Each generated part stands between two comments that
 * name it, `<!-- settings -->` and `<!-- /settings -->`. A test holds the documents to it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
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

/** A document with its generated parts made anew. @throws when it names a part that nothing makes */
export const renew = (text: string): string =>
  text.replaceAll(/<!-- (\w+) -->.*?<!-- \/\1 -->/gs, (_, name: string) => {
    const make = generated[name]
    if (!make) throw new Error(`Nothing makes the part “${name}”`)
    return `<!-- ${name} -->\n${make()}\n<!-- /${name} -->`
  })

const code = (text: string) => `\`${text}\``

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

if (import.meta.main)
  for (const name of documents) {
    const file = new URL(`../${name}`, import.meta.url)
    writeFileSync(file, renew(readFileSync(file, 'utf8')))
  }
