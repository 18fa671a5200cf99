import type { Space } from '../../context.ts'
import type { LineOf } from '../../contract/bundle.ts'
import { isBuiltIn } from '../../contract/policies.ts'
import { invalid } from '../../contract/problems.ts'
import { mapInSlices } from '../../platform/time-slices.ts'
import * as earlier from '../../store/bundle/earlier-connections.ts'
import * as connections from '../../store/bundle/import-connections.ts'
import * as store from '../../store/bundle/import-memories.ts'
import * as rejections from '../../store/bundle/import-rejections.ts'
import * as versions from '../../store/bundle/import-versions.ts'
import { type DefinedPolicy, importPolicy, listPolicies } from '../../store/lifecycle/policies.ts'
import { getMemories } from '../../store/memories/get.ts'
import { checkedRules, policiesOf } from '../lifecycle/policies.ts'
import { inspect } from '../memories/secrets.ts'
import { ledToDuplicates, withoutDuplicates } from './duplicates.ts'
import { dryRunMemories, importMemories } from './memories.ts'
import type { Part } from './state.ts'
import { valuesOf } from './values.ts'

type Found<Name extends 'policies' | 'versions' | 'connections' | 'earlier_connections' | 'rejections'> = {
  line: LineOf<Name>
  number: number
  pointer: string
}

/** Takes the policies over. @throws ServiceError `validation_failed` when one promotes to what is nowhere */
export async function takePolicies(part: Part, found: readonly Found<'policies'>[]) {
  if (found.length === 0) return
  const { ctx, state, replace, dryRun } = part
  const here = new Map((await listPolicies(ctx)).map(policy => [policy.name, policy]))
  const names = new Map([...(await policiesOf(ctx)), ...found.map(({ line }) => [line.name, null] as const)])
  for (const policy of found.map(each => definedPolicy(each, names))) {
    const outcome = outcomeOfPolicy(policy, here.get(policy.name), replace)
    state.totals.policies[outcome] += 1
    if (dryRun) state.policies.push(policy.name)
    else if (outcome !== 'kept') await importPolicy(ctx, policy, replace ? state.run : null)
  }
}

function definedPolicy(
  { line, pointer }: Found<'policies'>,
  names: ReadonlyMap<string, unknown>,
): DefinedPolicy {
  const since = Date.parse(line.since)
  if (line.rules !== null) {
    const given = Object.fromEntries(Object.entries(line.rules).filter(([, value]) => value !== null))
    const rules = checkedRules(names, line.name, given as never, `${pointer}/rules`)
    return { name: line.name, rules, since }
  }
  if (isBuiltIn(line.name)) return { name: line.name, rules: null, since }
  throw invalid(
    `${pointer}/rules`,
    'missing_rules',
    'must not be null: only a built-in policy can have no rules of its own',
  )
}

function outcomeOfPolicy(
  policy: DefinedPolicy,
  here: DefinedPolicy | undefined,
  replace: boolean,
): store.ImportOutcome {
  if (!here) return 'created'
  const text = ({ rules, since }: DefinedPolicy) =>
    JSON.stringify([since, rules && Object.entries(rules).sort(([a], [b]) => (a < b ? -1 : 1))])
  if (text(policy) === text(here)) return 'unchanged'
  return replace ? 'updated' : 'kept'
}

type MemoryPair = { line: LineOf<'memories'>; vector: LineOf<'vectors'> | undefined; number: number }

const MEMORIES_AT_A_TIME = 500

/** Takes the memories over, with their vectors where the space is kept here. */
export async function takeMemories(part: Part, found: readonly MemoryPair[], space: Space | undefined) {
  if (found.length === 0) return
  const { ctx, state } = part
  const pairs = await withoutSecrets(part, await withKnownPolicy(part, found))
  const options = optionsOf(part)
  for (let from = 0; from < pairs.length; from += MEMORIES_AT_A_TIME) {
    const some = await withoutDuplicates(part, pairs.slice(from, from + MEMORIES_AT_A_TIME))
    const memories = some.map(({ line, vector }) => ({
      ...line,
      vector: vector ? { values: valuesOf(vector), truncated: vector.truncated } : null,
    }))
    const outcomes = part.dryRun
      ? await dryRunMemories(ctx, memories, options)
      : await importMemories(ctx, memories, { space, options })
    for (const outcome of outcomes) state.totals.memories[outcome] += 1
    state.totals.vectors[space ? 'taken' : 'left_out'] += some.filter(({ vector }) => vector).length
  }
}

async function withKnownPolicy(part: Part, found: readonly MemoryPair[]): Promise<MemoryPair[]> {
  const { ctx, state } = part
  const policies = new Set([...(await policiesOf(ctx)).keys(), ...state.policies])
  const { known = [], unknown = [] } = Object.groupBy(found, ({ line }) =>
    policies.has(line.policy) ? 'known' : 'unknown',
  )
  await leaveOut(part, unknown, 'unknown_policy')
  return known
}

/** The memories with the kinds of their secrets as they are recognised here, or masked, or without those that have some. */
async function withoutSecrets(part: Part, found: readonly MemoryPair[]): Promise<MemoryPair[]> {
  const { secrets } = part.ctx.app.config
  const inspected = await mapInSlices(found, pair => ({ pair, ...inspect(pair.line) }))
  const refused = secrets === 'refuse' ? inspected.filter(({ marks }) => marks.length > 0) : []
  await leaveOut(
    part,
    refused.map(({ pair }) => pair),
    'secret',
  )
  return inspected
    .filter(each => !refused.includes(each))
    .map(({ pair, texts, marks }) => {
      const isMasked = secrets === 'mask' && marks.length > 0
      return {
        ...pair,
        line: { ...pair.line, ...(isMasked && texts), sensitive: isMasked ? [] : marks },
        // A vector says something of the text that it was made of.
        vector: isMasked ? undefined : pair.vector,
      }
    })
}

type Inspected<Line> = { marks: readonly string[]; masked: Partial<Line>; id: string }

/** The same of other lines. */
async function linesWithoutSecrets<Name extends Section>(
  { ctx, leftOut }: Part,
  found: readonly Found<Name>[],
  inspectLine: (line: LineOf<Name>) => Inspected<LineOf<Name>>,
): Promise<Found<Name>[]> {
  const { secrets } = ctx.app.config
  if (secrets === 'mark') return [...found]
  const inspected = await mapInSlices(found, each => ({ each, ...inspectLine(each.line) }))
  return inspected.flatMap(({ each, marks, masked, id }) => {
    if (marks.length === 0) return [each]
    if (secrets === 'mask') return [{ ...each, line: { ...each.line, ...masked } }]
    leftOut.push({ line: each.number, reason: 'secret', id })
    return []
  })
}

function inspectVersion(line: LineOf<'versions'>): Inspected<LineOf<'versions'>> {
  const { texts, marks } = inspect(line)
  return { marks, masked: { ...texts, sensitive: [] }, id: line.memory_id }
}

function inspectReason({ reason, source_id: id }: { reason: string | null; source_id: string }) {
  const { texts, marks } = inspect({ content: reason ?? undefined })
  return { marks, masked: { reason: texts.content ?? null }, id }
}

/** Skips memories. Those that are here are kept when everything that the bundle does not contain is removed. */
async function leaveOut(
  { ctx, state, replace, dryRun, leftOut }: Part,
  pairs: readonly MemoryPair[],
  reason: 'unknown_policy' | 'secret',
) {
  for (const { line, number } of pairs) leftOut.push({ line: number, reason, id: line.id })
  if (!replace || pairs.length === 0) return
  const ids = pairs.map(({ line }) => line.id)
  if (dryRun) state.exempt += (await getMemories(ctx, ids)).size
  else await store.markMemories(ctx, ids, state.run)
}

const LINES_AT_A_TIME = 1_000

/** Takes earlier versions over of memories that are in the tenant; a trial does not look for the memories. */
export const takeVersions = async (part: Part, found: readonly Found<'versions'>[]) =>
  takeLines(part, await linesWithoutSecrets(part, found, inspectVersion), {
    section: 'versions',
    take: rows => (part.dryRun ? versions.dryRunVersions : versions.importVersions)(part.ctx, rows),
    missing: ({ memory_id }) => ({ reason: 'missing_memory', id: memory_id }),
  })

/** Takes the connections over whose ends are in the tenant; a trial does not look at the ends. */
export const takeConnections = async (part: Part, found: readonly Found<'connections'>[]) =>
  takeLines(part, await linesWithoutSecrets<'connections'>(part, found, inspectReason), {
    section: 'connections',
    take: rows =>
      (part.dryRun ? connections.dryRunConnections : connections.importConnections)(
        part.ctx,
        rows,
        optionsOf(part),
      ),
    missing: missingEnd,
  })

/** Takes over what connections of memories of the tenant were; a trial does not look at the memories. */
export const takeEarlier = async (part: Part, found: readonly Found<'earlier_connections'>[]) =>
  takeLines(part, await linesWithoutSecrets<'earlier_connections'>(part, found, inspectReason), {
    section: 'earlier_connections',
    take: rows => (part.dryRun ? earlier.classifyEarlier : earlier.importEarlier)(part.ctx, rows),
    missing: missingEnd,
  })

/** Takes over which connections are rejected between memories of the tenant; a trial does not look at the memories. */
export const takeRejections = (part: Part, found: readonly Found<'rejections'>[]) =>
  takeLines(part, found, {
    section: 'rejections',
    take: rows =>
      (part.dryRun ? rejections.dryRunRejections : rejections.importRejections)(
        part.ctx,
        rows,
        optionsOf(part),
      ),
    missing: missingEnd,
  })

const optionsOf = ({ state: { run }, replace, returns }: Part) => ({
  run,
  replace,
  marks: replace || returns,
})

const missingEnd = ({ source_id }: { source_id: string }) =>
  ({ reason: 'missing_end', id: source_id }) as const

type Section = 'versions' | 'connections' | 'earlier_connections' | 'rejections'

type Taking<Name extends Section> = {
  section: Name
  /** Returns what became of each line; one that has no place here is missing from the answer. */
  take: (rows: (LineOf<Name> & { line: number })[]) => Promise<readonly store.LineOutcome[]>
  missing: (line: LineOf<Name>) => Omit<Part['leftOut'][number], 'line'>
}

async function takeLines<Name extends Section>(
  { state, leftOut }: Part,
  found: readonly Found<Name>[],
  { section, take, missing }: Taking<Name>,
) {
  for (let from = 0; from < found.length; from += LINES_AT_A_TIME) {
    const some = found.slice(from, from + LINES_AT_A_TIME).flatMap(ledToDuplicates(state, section))
    const done = await take(some.map(({ line, number }) => ({ ...line, line: number })))
    const outcomes = new Map(done.map(({ line, outcome }) => [line, outcome]))
    for (const { line, number } of some) {
      const outcome = outcomes.get(number)
      if (outcome) state.totals[section][outcome] += 1
      else leftOut.push({ line: number, ...missing(line) })
    }
  }
}
