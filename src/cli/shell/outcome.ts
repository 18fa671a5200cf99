import { readVersion } from '../../platform/version.ts'
import { describeFailure, exit } from './failures.ts'
import { runProgram, type Sections, usageOf } from './program.ts'
import type { Terminal } from './terminal.ts'

/** Runs the command that the words name, and returns its exit code. What goes wrong is said on the terminal. */
export async function outcomeOf(
  sections: Sections,
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  try {
    return (await runProgram(sections, words, { terminal, version: await readVersion() })) ?? exit.done
  } catch (error) {
    const { code, lines, problem } = describeFailure(error, terminal.signal.aborted)
    if (words.includes('--json'))
      terminal.note(JSON.stringify({ error: { exit_code: code, message: lines.join('\n'), problem } }))
    else {
      terminal.note(lines.join('\n'))
      if (code === exit.usage) terminal.note(`Usage: ${usageOf(sections, words)}`)
    }
    return code
  }
}
