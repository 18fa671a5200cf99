import { readFile } from 'node:fs/promises'
import { packageFolder } from '../platform/package-folder.ts'
import { command } from './shell/command.ts'

/** A command that prints the GraphQL schema of this version, for code generators. It asks no service. */
export const schema = command({
  summary: 'Print the GraphQL schema of this version',
  details:
    'For code generators, editors and other tools. A running service returns the same at `GET /graphql/schema.graphql`.',
  examples: ['schema > schema.graphql'],
  options: {},
  async run(_, terminal) {
    const text = await readFile(new URL('schema/schema.graphql', packageFolder), 'utf8')
    terminal.say(text.trimEnd())
    return undefined
  },
})
