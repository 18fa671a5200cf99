import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inject } from 'vitest'
import type { App } from '../../src/context.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder that has the text of each statement that a service of the run sent. */
    statements: string
  }
}

/** What the service may send: the numbers may only fall. */
export type Figures = { texts: number; characters: number; longest: number }

const known = new Set<string>()

/** Keeps each statement that a service sends. */
export const keepStatements = (app: App) => hearStatements(app, keep)

/** Calls back with the text of each statement of the store. What callers ask in Cypher or GraphQL of their own is not among them. */
export function hearStatements({ neo4j: { driver, firstUses } }: App, hear: (text: string) => void): void {
  const take = firstUses.take.bind(firstUses)
  firstUses.take = (text, signal) => {
    hear(text)
    return take(text, signal)
  }
  const open = driver.session.bind(driver)
  driver.session = options => {
    const session = open(options)
    const begin = session.beginTransaction.bind(session)
    session.beginTransaction = (...rest) => {
      const transaction = begin(...rest)
      const run = transaction.run.bind(transaction)
      transaction.run = (text, parameters) => {
        hear(String(text))
        return run(text, parameters)
      }
      return transaction
    }
    return session
  }
}

function keep(text: string) {
  if (known.has(text)) return
  known.add(text)
  appendFileSync(join(inject('statements'), `${process.pid}`), `${JSON.stringify(text)}\n`)
}

/** Where `npm run statements` finds the statements of the last run. */
const lastRun = join(import.meta.dirname, '../../node_modules/.cache/statements.json')

const ceiling = join(import.meta.dirname, 'statement-ceiling.json')

/** @throws if the services of a run sent more statements, or longer ones, than the ceiling allows */
export function refuseMore(folder: string): void {
  const texts = readTexts(folder)
  mkdirSync(dirname(lastRun), { recursive: true })
  writeFileSync(lastRun, JSON.stringify(texts))
  const over = excess(figuresOf(texts), JSON.parse(readFileSync(ceiling, 'utf8')) as Figures)
  if (over.length > 0)
    throw new Error(`The service sends more to Neo4j than ${ceiling} allows: ${over.join(', ')}.`)
}

const readTexts = (folder: string): string[] => [
  ...new Set(
    readdirSync(folder)
      .flatMap(name => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
      .map(line => JSON.parse(line) as string),
  ),
]

export const figuresOf = (texts: readonly string[]): Figures => ({
  texts: texts.length,
  characters: texts.reduce((sum, { length }) => sum + length, 0),
  longest: Math.max(0, ...texts.map(({ length }) => length)),
})

const excess = (figures: Figures, most: Figures) =>
  (Object.keys(most) as (keyof Figures)[])
    .filter(name => figures[name] > most[name])
    .map(name => `${figures[name]} ${name}, at most ${most[name]}`)
