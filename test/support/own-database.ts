import neo4j from 'neo4j-driver'
import { inject } from 'vitest'
import type { TestDatabase } from './lender.ts'

let borrowed: Promise<TestDatabase> | undefined

/**
 * An empty Neo4j next to the one of the run, for what concerns all tenants. It is the same one each time,
 * emptied: parts of a test file may use it one after the other. What the migrations made stays, with the plans of the
 * statements that others ran.
 */
export async function emptyDatabase(): Promise<TestDatabase> {
  const database = await borrow()
  await run(database, 'MATCH (n) WHERE NOT n:Migration DETACH DELETE n')
  return database
}

/** The same, as Neo4j makes it: without constraints and indexes. */
export async function bareDatabase(): Promise<TestDatabase> {
  const database = await borrow()
  await run(database, 'MATCH (n) DETACH DELETE n')
  for (const row of await run(database, 'SHOW CONSTRAINTS YIELD name'))
    await run(database, `DROP CONSTRAINT \`${row.get('name')}\``)
  for (const row of await run(database, 'SHOW INDEXES YIELD name, type WHERE type <> "LOOKUP"'))
    await run(database, `DROP INDEX \`${row.get('name')}\``)
  return database
}

/** Lets other files have it. */
export async function returnDatabase(): Promise<void> {
  if (!borrowed) return
  const body = JSON.stringify(await borrowed)
  borrowed = undefined
  await fetch(`${inject('lender')}/database`, { method: 'POST', body })
}

function borrow(): Promise<TestDatabase> {
  borrowed ??= fetch(`${inject('lender')}/database`).then(async answer => {
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as TestDatabase
  })
  return borrowed
}

async function run({ uri, username, password }: TestDatabase, text: string) {
  await using driver = neo4j.driver(uri, neo4j.auth.basic(username, password))
  return (await driver.executeQuery(text)).records
}
