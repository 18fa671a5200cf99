import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyDatabase, returnDatabase } from '../support/own-database.ts'
import { seedOfRun } from '../support/runs.ts'
import { claims } from './claims.ts'
import { commit } from './commit.ts'
import { lentDatabase } from './database.ts'
import { runScenario, type Scenario, startWorld, type World } from './run.ts'
import { service } from './service.ts'

/** One that fails is repeated with `npm run chaos -- --seed`. */
const stack = new AsyncDisposableStack()
let world: World
beforeAll(async () => {
  world = stack.use(await startWorld(lentDatabase(await emptyDatabase())))
})
afterAll(async () => {
  await stack.disposeAsync()
  await returnDatabase()
})

const faultsOf = async (name: string, scenario: Scenario) => {
  const { faults } = await runScenario(world, name, scenario, {
    tier: 'small',
    seed: seedOfRun,
    say: () => {},
  })
  return faults
}

test(`a service that is killed at some of the named points and at random loses nothing and does nothing twice (seed ${seedOfRun})`, {
  timeout: 900_000,
}, async () => {
  expect(await faultsOf('service', service)).toEqual([])
})

test(`an answer that is lost after the commit loses nothing and does nothing twice (seed ${seedOfRun})`, {
  timeout: 900_000,
}, async () => {
  expect(await faultsOf('commit', commit)).toEqual([])
})

test(`work is given to one worker, and what a late one writes is refused (seed ${seedOfRun})`, {
  timeout: 900_000,
}, async () => {
  expect(await faultsOf('claims', claims)).toEqual([])
})
