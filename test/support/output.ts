import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder that has all that services, commands and errors of the run said. */
    output: string
  }
}

/** Keys and passwords that every run uses, and what all the others look like. */
const secrets: readonly RegExp[] = [
  /operator-key-of-the-tests/,
  /key-of-the-embedding-endpoint/,
  /mnk_[0-9a-f]{32}_[\w-]{20}/,
  /whsec_[A-Za-z0-9+/]{20}/,
  /dev_[\w-]{32}/,
  /canary-[0-9a-f]{8}/,
  /Bearer (?!realm|error|resource)[\w.~+/-]{12}/i,
  /:\/\/[^/\s:@"]+:[^/\s:@"]+@/,
]

const file = () => join(inject('output'), `${process.pid}.log`)

/** Keeps what a service, a command, an answer, a trace or an error said, for the search at the end of the run. */
/** Outside a run of vitest nothing is searched, and nothing is kept. */
export function keepOutput(text: string): void {
  if (process.env.VITEST) appendFileSync(file(), `${text}\n`)
}

/** Where the logs of services in this process go. */
let log: pino.DestinationStream | undefined
export const logOfTests = () => {
  log ??= pino.destination({ dest: file(), append: true, sync: true })
  return log
}

/** The lines that services of this process have logged. */
export const logged = (): string[] => readFileSync(file(), 'utf8').split('\n')

/** The lines of a run that have a secret, with the secret cut off. */
export function leaksIn(text: string, more: readonly string[] = []): string[] {
  return text.split('\n').flatMap(line => {
    const found = secrets.map(secret => line.search(secret)).filter(at => at >= 0)
    const given = more
      .filter(Boolean)
      .flatMap(secret => (line.includes(secret) ? [line.indexOf(secret)] : []))
    const at = Math.min(...found, ...given)
    return Number.isFinite(at) ? [`${line.slice(0, at).slice(-300)}<a secret>`] : []
  })
}

/** @throws if anything that was said in the run has a secret */
export function refuseLeaks(folder: string, password: string): void {
  const files = readdirSync(folder).map(name => join(folder, name))
  const leaks = files.flatMap(each =>
    leaksIn(readFileSync(each, 'utf8'), password.length > 8 ? [password] : []),
  )
  if (leaks.length > 0)
    throw new Error(`Secrets in the output of the tests:\n${leaks.slice(0, 20).join('\n')}`)
}
