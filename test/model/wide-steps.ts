import type { Client } from '../../src/client.ts'
import type { Input } from '../../src/contract/index.ts'
import { exported, imported } from '../../tools/bundle-lines.ts'
import { compare, listAll } from './compare.ts'
import { type Caller, oneOf, type Step, same } from './steps.ts'
import { fieldsOf, groupsOf, type ModelRun } from './world.ts'

/** Steps that concern many memories. Nothing else runs beside them. */
type WideCaller = Caller & { admin: () => Client; drain: () => Promise<void> }

type Choice = (caller: WideCaller) => Step | undefined

const drain: Choice = caller => {
  const run = async () => {
    await caller.drain()
    await compare(caller.world, caller.admin(), 'discovered')
  }
  return { name: 'discovery', touches: 'all', run, resolve: run }
}

const planAndApply =
  (name: ModelRun['kind'], input: (caller: WideCaller) => Input<'planMaintenance'>): Choice =>
  caller => {
    let planned: Awaited<ReturnType<Client['planMaintenance']>> | undefined
    return {
      name,
      touches: 'all',
      async run() {
        // A merge copies what discovery has made.
        await compare(caller.world, caller.admin())
        planned = await caller.admin().planMaintenance({ kind: name, ...input(caller) })
        if (planned.plan_id === null) return
        await caller.admin().applyMaintenance({ id: planned.plan_id })
        await applied(caller, name, planned)
      },
      async resolve() {
        if (!planned?.plan_id) return
        const { state } = await caller.admin().getMaintenanceRun({ id: planned.plan_id })
        if (state === 'applied') await applied(caller, name, planned)
      },
    }
  }

type Planned = Awaited<ReturnType<Client['planMaintenance']>>

/** Takes over what the run made of each memory, and holds it against the rules of such a run. */
async function applied({ world, admin }: WideCaller, kind: ModelRun['kind'], planned: Planned) {
  const groups = kind === 'merge' ? groupsOf(planned.changes) : []
  const listed = new Map((await listAll(admin())).map(memory => [memory.id, memory]))
  const run: ModelRun = { id: planned.plan_id as string, kind, undone: false, left: [], groups }
  for (const { memory_id, change } of planned.changes) {
    const memory = world.memory(memory_id)
    const answer = listed.get(memory_id)
    if (!answer) throw new Error(`${memory_id} is gone after a plan to ${kind}`)
    const { fields, version } = memory
    if (change === 'merge') {
      const merged = groups.find(({ kept }) => kept === memory_id)?.merged ?? []
      const tags = new Set([memory_id, ...merged].flatMap(id => world.memory(id).fields.tags))
      same([...answer.tags].sort(), [...tags].sort())
      same({ ...fieldsOf(answer), tags: fields.tags }, fields)
      world.changed(answer, { fields: fieldsOf(answer) })
    } else {
      same([answer.state, answer.archived_reason], ['archived', kind === 'merge' ? 'merged' : 'forgotten'])
      world.changed(answer, { state: 'archived', reason: answer.archived_reason })
    }
    run.left.push({ memory, version: memory.version, before: { version, fields } })
  }
  world.merged(run)
  world.runs.push(run)
}

const undo: Choice = caller => {
  const { world, admin, random } = caller
  const run = oneOf(
    random,
    world.runs.filter(({ undone }) => !undone),
  )
  if (!run) return undefined
  const takeBack = async (skipped: readonly string[]) => {
    // A run no longer names memories that were removed for good.
    same(skipped.filter(id => world.memories.has(id)).sort(), world.moved(run).sort())
    const listed = new Map((await listAll(admin())).map(memory => [memory.id, memory]))
    for (const { memory, before } of run.left) {
      const answer = listed.get(memory.id)
      if (skipped.includes(memory.id) || !answer) continue
      same([answer.state, fieldsOf(answer)], ['active', before.fields])
      world.changed(answer, { state: 'active', reason: null, fields: before.fields })
    }
    world.undone(run, skipped)
  }
  return {
    name: 'undo',
    touches: 'all',
    run: async () => takeBack((await admin().undoMaintenance({ id: run.id })).skipped),
    async resolve() {
      const { state } = await admin().getMaintenanceRun({ id: run.id })
      if (state === 'undone') await takeBack(world.moved(run))
    },
  }
}

const erase: Choice = ({ world, admin, random }) => {
  const filters = { source: `source-${Math.floor(random() * 4)}`, tags: ['red', 'green'] }
  const matching = () =>
    [...world.memories.values()].filter(
      ({ fields }) =>
        fields.source === filters.source && filters.tags.every(tag => fields.tags.includes(tag)),
    )
  const run = async () => {
    const { counts, verified, complete } = await admin().eraseMemories({ filters })
    const ids = matching().map(({ id }) => id)
    same([counts.memories <= ids.length, verified, complete], [true, true, true])
    for (const id of ids) world.gone(id, 'erasure')
  }
  // A crash in the middle has erased some of them whole: the repeat erases the others.
  return { name: 'erase', touches: 'all', run, resolve: run }
}

const keepBundle: Choice = ({ world, admin }) => {
  const run = async () => {
    await compare(world, admin())
    world.keepSnapshot(await exported(admin()))
  }
  return { name: 'export', touches: 'all', run, resolve: run }
}

/** Everything is as it was at the export, in versions that no memory had. What was rejected stays rejected, unless the bundle has it, and so does what was then. */
const takeBundle: Choice = ({ world, admin }) => {
  if (!world.snapshot) return undefined
  const { lines, memories, connections, rejected } = world.snapshot
  const run = async () => {
    await imported(admin(), lines, { mode: 'replace' })
    const listed = await listAll(admin())
    same(listed.map(({ id }) => id).sort(), [...memories.keys()].sort())
    for (const id of [...world.memories.keys()]) if (!memories.has(id)) world.gone(id, 'import')
    for (const answer of listed) {
      const then = memories.get(answer.id)
      const known = world.memories.get(answer.id)
      if (!then) continue
      same([fieldsOf(answer), answer.state], [then.fields, then.state])
      if (!known) {
        world.removed.delete(answer.id)
        world.memories.set(answer.id, { ...structuredClone(then), version: answer.version, revision: 1 })
      } else if (answer.version !== known.version)
        world.changed(answer, { fields: then.fields, state: then.state, reason: answer.archived_reason })
    }
    world.connections.clear()
    for (const { copiedBy: _, ...connection } of connections) world.connect({ ...connection })
    for (const pair of rejected) world.reject(...pair)
  }
  return { name: 'import', touches: 'all', run, resolve: run }
}

const byTag = ({ random }: Caller): Input<'planMaintenance'> => ({
  filters: { tags: ['red', 'blue'], min_importance: random() },
})

/** Each as often as it is named. */
const choices: readonly Choice[] = [
  drain,
  drain,
  planAndApply('merge', () => ({ threshold: 0.97 })),
  planAndApply('forget', byTag),
  undo,
  undo,
  erase,
  keepBundle,
  takeBundle,
]

export const chooseWideStep = (caller: WideCaller): Step | undefined =>
  oneOf(caller.random, choices)?.(caller)
