import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { hostEnvironment, PROGRAM, runHere } from './cli.ts'

/** Commands of a document, and the output that it shows behind them; undefined where it shows none. */
export type Step = { readonly commands: string; readonly shown: string | undefined }

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

type Block = { readonly language: string; readonly text: string; readonly line: number; readonly end: number }

/** The fenced blocks of a document. */
function fencesOf(name: string): Block[] {
  const blocks: Block[] = []
  let open: { language: string; line: number } | undefined
  const lines = read(name).split('\n')
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith('```')) continue
    if (open) blocks.push({ ...open, text: lines.slice(open.line + 1, at).join('\n'), end: at })
    open = open ? undefined : { language: line.slice(3), line: at }
  }
  return blocks
}

/** The commands of a document in their order. Output is the block without a language right behind them. */
export function stepsOf(name: string): Step[] {
  const blocks = fencesOf(name)
  return blocks.flatMap(({ language, text: commands, end }, at) => {
    const next = blocks[at + 1]
    const shown = next?.language === '' && next.line === end + 2 ? next.text : undefined
    return language === 'sh' ? [{ commands, shown }] : []
  })
}

/** The blocks of a document in a language. */
export const blocksOf = (name: string, language: string): string[] =>
  fencesOf(name).flatMap(block => (block.language === language ? [block.text] : []))

const MARK = '== end of step'

/** The program that `npx` finds. To find it costs npx four times what most commands do. */
const found = `npx() { shift; '${process.execPath}' '${PROGRAM}' "$@"; }\n`

/** The program in this process, which is asked with the words and the environment of a command: each begins in a moment. */
async function startHere() {
  const server = createServer(async (request, response) => {
    const items = (await text(request)).split('\0')
    const end = items.indexOf('')
    const env = items.slice(end + 1, -1).map(item => {
      const at = item.indexOf('=')
      return [item.slice(0, at), item.slice(at + 1)] as const
    })
    const { code, out, err } = await runHere(items.slice(0, end), Object.fromEntries(env))
    response.end([code, ...[out, err].map(said => Buffer.from(said).toString('base64'))].join('\n'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const npx = `npx() {
    shift
    local said="$({ printf '%s\\0' "$@"; printf '\\0'; env -0; } | curl -s --data-binary @- http://127.0.0.1:${port}/)"
    sed -n 2p <<< "$said" | base64 -d
    sed -n 3p <<< "$said" | base64 -d >&2
    return "$(sed -n 1p <<< "$said")"
  }\n`
  return { npx, [Symbol.dispose]: () => void server.close() }
}

/**
 * Types commands into one shell, as a reader does, and answers what each step printed. Where `npx` is meant to be quick the
 * program runs in this process. @throws if one fails
 */
export async function walk(
  steps: readonly Step[],
  env: Record<string, string>,
  isQuick = false,
): Promise<string[]> {
  using here = isQuick ? await startHere() : { npx: found, [Symbol.dispose]() {} }
  const path = `${dirname(process.execPath)}:${process.env.PATH}`
  const shell = spawn('bash', ['-e'], {
    env: {
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: hostEnvironment.NODE_COMPILE_CACHE,
      ...env,
      PATH: path,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  shell.stdin.write(here.npx)
  shell.stdin.end(steps.map(({ commands }) => `${commands}\necho; echo '${MARK}'\n`).join(''))
  const [out, err] = await Promise.all([text(shell.stdout), text(shell.stderr)])
  const printed = out.split(`\n${MARK}\n`)
  if (printed.length !== steps.length + 1)
    throw new Error(`Step ${printed.length} failed: ${steps[printed.length - 1]?.commands}\n${err}`)
  return printed.slice(0, -1)
}

/** An output with what varies made alike: ids, times, scores, keys, and the weights of the model. */
export const shapeOf = (output: string): string =>
  output
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{4,}…/g, '<id>…')
    .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, '<date>')
    .replaceAll(/\d\d:\d\d/g, '<time>')
    .replaceAll(/\d\.\d{3}/g, '<score>')
    .replaceAll(/(mnk|dev)_[\w-]+/g, '<key>')
    .replaceAll(/\S+@[0-9a-f]{8}\S*/g, '<model>')
    .trim()

/** The names and the kinds of the values of JSON. */
export const kindsOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(kindsOf)
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, each]) => [name, kindsOf(each)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}
