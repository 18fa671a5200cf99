import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fieldsOf } from '../../contract/fields.ts'
import { routes } from '../../contract/index.ts'
import { clearable } from '../../contract/memory.ts'
import { readMachine } from '../../platform/config.ts'
import { inputOptions, optionNameOf } from '../operations/options.ts'
import { AN_ID, answering, given, listOf, numberOf, oneOf, UsageError } from '../shell/command.ts'
import { connectClient, connectionOptions } from '../shell/connect.ts'
import { textFile, textOf, waitOption } from './add.ts'

const emptied = { tags: { tags: [] as string[] }, meta: { metadata: {} } }
const clearableNames = [...Object.keys(emptied), ...clearable.options.map(optionNameOf)]

const fields = inputOptions(fieldsOf(routes.updateMemory.input), { without: ['id', 'content', 'clear'] })

export const edit = answering({
  word: ['ID', 'one memory by its id'],
  summary: 'Change a memory',
  details:
    'Without options it opens the text in $EDITOR. A change that somebody made in the meantime is never overwritten.',
  examples: [
    `edit ${AN_ID} --tags checkout,release --importance 0.9`,
    `edit ${AN_ID} --text "Deploys need two green load tests"`,
  ],
  options: {
    text: { value: 'TEXT', describe: 'The new text' },
    file: textFile,
    ...fields.options,
    clear: { value: 'A,B', describe: `Fields to clear, of ${clearableNames.join(', ')}` },
    ...waitOption,
    ...connectionOptions,
  },
  async answer({ values, word: id }, { signal }) {
    if (values.text !== undefined && values.file !== undefined)
      throw new UsageError('Give --text or --file, not both')
    const wait = numberOf(values.wait, '--wait')
    const content =
      values.text ?? (values.file === undefined ? undefined : (await textOf(values.file, signal)).trim())
    const typed = {
      ...(await fields.read(values)),
      ...given({ content }),
      ...clearedBy(values.clear),
    }
    const isTyped = Object.keys(typed).length > 0
    if (!isTyped && !process.stdin.isTTY) throw new UsageError('Say what to change, for instance --tags A,B')
    const client = await connectClient(values)
    const memory = await client.getMemory({ id, record_recall: false }, { signal })
    const changes = isTyped ? typed : { content: await edited(memory.content, readMachine().environment) }
    const headers = { 'if-match': `"${memory.version}"` }
    return client.updateMemory({ id, ...changes }, { signal, headers, ...given({ wait }) })
  },
  show: ({ id, version }, { note }) => note(`Changed ${id}: version ${version}.`),
})

/** The fields to clear, by the names of their options. @throws UsageError */
function clearedBy(text: string | undefined) {
  const names = listOf(text).map(name => oneOf(clearableNames, name, '--clear') as string)
  const clear = clearable.options.filter(field => names.includes(optionNameOf(field)))
  return {
    ...(clear.length > 0 && { clear }),
    ...(names.includes('tags') && emptied.tags),
    ...(names.includes('meta') && emptied.meta),
  }
}

/** The text as it comes back from the editor. @throws UsageError */
export async function edited(
  content: string,
  { VISUAL, EDITOR }: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mnemograph-'))
  try {
    const file = join(folder, 'memory.md')
    await writeFile(file, content)
    const [program = 'vi', ...options] = (VISUAL || EDITOR || 'vi').split(' ')
    const { status } = spawnSync(program, [...options, file], { stdio: 'inherit' })
    if (status !== 0) throw new UsageError(`${program} did not end well: nothing was changed`)
    return (await readFile(file, 'utf8')).trim()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
