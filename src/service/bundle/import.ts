import { v7 as mintId } from 'uuid'
import type { Context, Space } from '../../context.ts'
import { type Line, type LineOf, sections } from '../../contract/bundle.ts'
import { orderFault } from '../../contract/bundle-order.ts'
import { type LineFault, readLine } from '../../contract/bundle-reading.ts'
import type { Parsed } from '../../contract/index.ts'
import { toPointer } from '../../contract/pointers.ts'
import { invalid } from '../../contract/problems.ts'
import { addLine, noSums } from '../../platform/digest.ts'
import { BadVector } from '../../platform/embeddings/unit.ts'
import { auditAlone } from '../../store/access/audit.ts'
import { openRemoved } from '../../store/access/tenants.ts'
import { spaceOf } from '../../store/embeddings/spaces.ts'
import { queueFill } from '../../store/embeddings/vectors.ts'
import { readTenant } from '../../store/lifecycle/due.ts'
import { seal, unseal } from '../cursors.ts'
import type { Handler } from '../handler.ts'
import { removeRest } from './rest.ts'
import { type ImportState, type ImportTotals, type Part, stateSchema } from './state.ts'
import {
  takeConnections,
  takeEarlier,
  takeMemories,
  takePolicies,
  takeRejections,
  takeVersions,
} from './take.ts'
import { valuesOf } from './values.ts'

/**
 * Takes over one part of a bundle. All lines are read and checked before the first is written; the manifest is held
 * against everything since the first part.
 */
export const importBundle: Handler<'importBundle'> = async (ctx, input) => {
  const { mode, dry_run: dryRun } = input
  const onDuplicate = input.on_duplicate ?? (mode === 'replace' ? 'store' : 'return')
  if (mode === 'replace' && onDuplicate === 'return')
    throw invalid('/on_duplicate', 'custom', 'must be `store` in the mode `replace`')
  const walk = ['import', mode, dryRun, onDuplicate]
  const state =
    input.cursor === undefined ? await begin(ctx) : stateSchema.parse(unseal(ctx, walk, input.cursor))
  const lines = readPart(state, input.lines, mode)
  if (ctx.operator && !dryRun) await openRemoved(ctx, ctx.tenant)
  const [replace, returns] = [mode === 'replace', onDuplicate === 'return']
  const part: Part = { ctx, state, replace, dryRun, returns, duplicates: [], leftOut: [] }
  if (input.cursor === undefined && !dryRun) await auditAlone(ctx, { target: state.run })
  await takePolicies(part, linesOf(lines, 'policies'))
  await takeMemories(part, pairsOf(lines), keptSpace(ctx, state))
  await takeVersions(part, linesOf(lines, 'versions'))
  await takeConnections(part, linesOf(lines, 'connections'))
  await takeEarlier(part, linesOf(lines, 'earlier_connections'))
  await takeRejections(part, linesOf(lines, 'rejections'))
  const done = state.last === 'manifest' && (await finish(part))
  ctx.app.wake()
  return {
    tenant: ctx.tenant,
    lines: state.lines,
    done,
    cursor: done ? null : seal(ctx, walk, state),
    totals: state.totals,
    left_out: part.leftOut,
    duplicates: part.duplicates,
  }
}

async function begin(ctx: Context): Promise<ImportState> {
  const { now, memories } = await readTenant(ctx)
  const none = () => ({ created: 0, updated: 0, unchanged: 0, kept: 0, removed: 0 })
  const totals: ImportTotals = {
    policies: none(),
    memories: none(),
    versions: none(),
    connections: none(),
    earlier_connections: none(),
    rejections: none(),
    vectors: { taken: 0, left_out: 0 },
  }
  const run = mintId()
  return {
    run,
    began: now,
    memories,
    exempt: 0,
    lines: 0,
    sums: noSums(),
    space: null,
    last: null,
    policies: [],
    duplicates: [],
    totals,
  }
}

type Numbered = { line: Line; number: number; pointer: string }

/** Parses the lines of a part in order and adds them to the totals. @throws ServiceError `validation_failed` by line */
function readPart(state: ImportState, texts: readonly string[], mode: Mode): Numbered[] {
  const ids = new Set<string>()
  let before: Line | undefined = state.last === null ? undefined : ({ section: state.last, id: '' } as Line)
  return texts.map((text, index) => {
    const pointer = `/lines/${index}`
    const read = readLine(text)
    if ('fault' in read) throw refusal(pointer, read.fault)
    const { line } = read
    const fault = orderFault(before, line) ?? contentFault(state, line, ids) ?? modeFault(line, mode)
    if (fault) throw refusal(pointer, fault)
    addLine(state.sums, line.section, text)
    state.lines += 1
    if (line.section === 'bundle') state.space = line.vectors
    if (line.section !== 'checkpoint') {
      before = line
      state.last = line.section === 'vectors' ? 'memories' : line.section
    }
    return { line, number: state.lines, pointer }
  })
}

const refusal = (pointer: string, { code, rule, path }: LineFault) =>
  invalid(pointer + toPointer(path), code, rule)

/** What in a line contradicts the lines before it; `ids` are those of the memories of the part so far. */
function contentFault(state: ImportState, line: Line, ids: Set<string>): LineFault | undefined {
  if (line.section === 'vectors') return vectorFault(state, line)
  if (line.section === 'memories') {
    if (ids.has(line.id)) return { code: 'twice', rule: 'is already in the bundle', path: ['id'] }
    ids.add(line.id)
  }
  if (line.section !== 'manifest') return undefined
  const [said, found] = [line.sections, state.sums]
  const section = sections.find(
    name => said[name].count !== found[name].count || said[name].sha256 !== found[name].sha256,
  )
  if (section === undefined) return undefined
  const counts = `it counts ${said[section].count}, and ${found[section].count} came`
  const rule = `has another count or digest than the lines before it: ${counts}`
  return { code: 'wrong_digest', rule, path: ['sections', section] }
}

type Mode = Parsed<'importBundle'>['mode']

const modeFault = (line: Line, mode: Mode): LineFault | undefined =>
  line.section === 'bundle' && line.filtered && mode === 'replace'
    ? {
        code: 'filtered',
        rule: 'must not be true in the mode `replace`, which removes the memories that the filters left out',
        path: ['filtered'],
      }
    : undefined

function vectorFault({ space }: ImportState, line: LineOf<'vectors'>): LineFault | undefined {
  const path = ['vector']
  if (Buffer.byteLength(line.vector, 'base64') !== 4 * (space?.dimensions ?? 0))
    return { code: 'wrong_length', rule: 'must have the dimensions that the first line names', path }
  try {
    valuesOf(line)
    return undefined
  } catch (error) {
    if (!(error instanceof BadVector)) throw error
    return { code: 'not_a_vector', rule: 'must have finite numbers that are not all 0', path }
  }
}

const linesOf = <Name extends Line['section']>(lines: readonly Numbered[], name: Name) =>
  lines.flatMap(({ line, ...rest }) =>
    line.section === name ? [{ ...rest, line: line as LineOf<Name> }] : [],
  )

/** Memories, each with the vector that follows it. */
const pairsOf = (lines: readonly Numbered[]) =>
  lines.flatMap(({ line, number }, index) => {
    if (line.section !== 'memories') return []
    const next = lines.slice(index + 1).find(each => each.line.section !== 'checkpoint')?.line
    return [{ line, number, vector: next?.section === 'vectors' ? next : undefined }]
  })

/** The space of the bundle's vectors, if this service keeps it. */
function keptSpace({ app }: Context, { space }: ImportState): Space | undefined {
  const id = space && spaceOf(space).id
  return app.embeddings.kept().find(each => each.space.id === id)?.space
}

/** Comes after the manifest: what is not in the bundle goes, then the spaces without vectors are filled. */
async function finish(part: Part): Promise<boolean> {
  const { ctx, replace, dryRun } = part
  if (replace && !(await removeRest(part))) return false
  if (!dryRun)
    for (const { space } of ctx.app.embeddings.kept())
      if (space.id !== ctx.space.id) await queueFill(ctx, ctx.tenant, space)
  return true
}
