import { stripVTControlCharacters, styleText } from 'node:util'
import { commandSections } from '../../src/cli/sections.ts'
import { describeFailure } from '../../src/cli/shell/failures.ts'
import { runProgram } from '../../src/cli/shell/program.ts'
import type { Terminal } from '../../src/cli/shell/terminal.ts'
import { keepOutput } from './output.ts'
import { OPERATOR_KEY, type TestService } from './service.ts'

export type Said = { code: number; out: string; err: string }

type Options = { service?: TestService; width?: number; tenant?: string; key?: string }

/** Runs a command in this process, which is quicker than one of its own, on a terminal of some width. */
export async function runInProcess(
  words: readonly string[],
  { service, width = 100, tenant, key = OPERATOR_KEY }: Options = {},
): Promise<Said> {
  const said = { out: '', err: '' }
  const write = (to: 'out' | 'err', line: string) => {
    said[to] += `${line}\n`
  }
  const where = service ? ['--url', service.url, '--tenant', tenant ?? service.tenant, '--api-key', key] : []
  const terminal: Terminal = {
    width,
    signal: AbortSignal.timeout(60_000),
    say: (line = '') => write('out', line),
    json: value => write('out', JSON.stringify(value)),
    note: line => write('err', line),
    paint: (style, text) => stripVTControlCharacters(styleText(style, text)),
    progress() {},
    finish: line => write('err', line),
  }
  try {
    const code = await runProgram(commandSections, [...words, ...where], { terminal, version: 'test' })
    keepOutput(said.err)
    return { code: code ?? 0, ...said }
  } catch (error) {
    const { code, lines } = describeFailure(error, false)
    const err = `${said.err}${lines.join('\n')}\n`
    keepOutput(err)
    return { code, out: said.out, err }
  }
}
