import { readFile } from 'node:fs/promises'
import { addFound } from '../../../integrations/importers/bundle.ts'
import { importers } from '../../../integrations/importers/index.ts'
import type { ImportSource, SourceAccess } from '../../../integrations/reading/found.ts'
import { creationDefaults } from '../../contract/memory.ts'
import { UsageError } from '../shell/command.ts'
import { baseUrlOf, type ConnectionValues, connectClient } from '../shell/connect.ts'
import { exit } from '../shell/failures.ts'
import type { Terminal } from '../shell/terminal.ts'
import { noteDuplicates, reasons } from './import-file.ts'
import { firstLine, makeBundle } from './make.ts'
import { importOptionsOf } from './options.ts'
import { reportImport } from './report.ts'
import { sendBundle } from './send.ts'

export const importKinds = [...importers.keys()]

type Values = ConnectionValues & {
  policy?: string
  group?: string
  database?: string
  'source-user'?: string
  'source-secret'?: string
  strict?: boolean
  replace?: boolean
  'on-duplicate'?: string
  'dry-run'?: boolean
}

/** Imports what another tool keeps, and lists what of it is left out. Returns the exit code. */
export async function takeOver(kind: string, path: string, values: Values, terminal: Terminal) {
  const client = await connectClient(values)
  const access = await accessTo(values, terminal.signal)
  const read = importers.get(kind)
  if (!read) throw new UsageError(`--from is one of ${importKinds.join(', ')}`)
  const found = await read(kind === 'service' ? baseUrlOf(path) : path, access)
  const { tenant } = await client.importBundle({ lines: [firstLine()], dry_run: true })
  const options = {
    tenant,
    source: `${kind} ${values.group ?? ''}`,
    policy: values.policy ?? creationDefaults.policy,
  }
  const lines = listing(found, terminal, () => makeBundle(add => addFound(found, options, add)))
  if ((values.strict || values.replace) && found.leftOut.length > 0) {
    showLeftOut(found, terminal)
    terminal.note(values.strict ? REFUSED.strict : REFUSED.replace)
    return exit.data
  }
  const dryRun = values['dry-run'] ?? false
  const began = performance.now()
  let refused = 0
  const answer = await sendBundle(client, counted(lines), {
    ...importOptionsOf(values),
    dry_run: dryRun,
    signal: terminal.signal,
    onPause: reason => terminal.note(`${reason}; retrying`),
    onPart: ({ left_out, duplicates }) => {
      noteDuplicates(terminal, duplicates)
      for (const { reason, id } of left_out) terminal.note(`${id} was ${reasons[reason]}`)
      refused += left_out.length
    },
  })
  const seconds = Number(((performance.now() - began) / 1000).toFixed(3))
  const leftOut = refused + found.leftOut.length
  const losses = Array.from(found.losses, ([what, times]) => ({ what, times }))
  if (values.json)
    terminal.json({
      ...answer,
      left_out: leftOut,
      left_out_entries: found.leftOut,
      dry_run: dryRun,
      seconds,
      losses,
    })
  else {
    reportImport(answer, refused, { dryRun, seconds }, terminal)
    showLeftOut(found, terminal)
    if (losses.length > 0) terminal.note('What was kept in another form, or could not be kept:')
    for (const { what, times } of losses) terminal.note(`  ${times} × ${what}`)
  }
  return leftOut > 0 ? exit.data : exit.done
}

const REFUSED = {
  strict: 'Nothing was imported, because of --strict.',
  replace: 'Nothing was imported: --replace would remove what is left out.',
}

async function accessTo(values: Values, signal: AbortSignal): Promise<SourceAccess> {
  const secret = values['source-secret'] ? (await readFile(values['source-secret'], 'utf8')).trim() : ''
  return {
    username: values['source-user'] ?? 'neo4j',
    secret,
    group: values.group,
    database: values.database ?? 'neo4j',
    signal,
  }
}

/** Where nothing can be imported, the list of what is left out says why. */
function listing<Result>(found: ImportSource, terminal: Terminal, make: () => Result): Result {
  try {
    return make()
  } catch (error) {
    showLeftOut(found, terminal)
    throw error
  }
}

function showLeftOut({ leftOut }: ImportSource, terminal: Terminal) {
  if (leftOut.length > 0) terminal.note(`Left out: ${leftOut.length}`)
  for (const { place, reason } of leftOut) terminal.note(`  ${place}: ${reason}`)
}

async function* counted(lines: readonly string[]) {
  for (const [index, text] of lines.entries()) yield { text, end: index + 1 }
}
