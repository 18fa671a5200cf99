import type { RelationshipType } from '../../src/contract/connections.ts'
import type { Output } from '../../src/contract/index.ts'

type Listed = Output<'listMemories'>['memories'][number]
export type ListedConnection = Output<'listConnections'>['connections'][number]
type Run = Output<'getMaintenanceRun'>

/** What a version of a memory says. */
export type Fields = { content: string; tags: readonly string[]; importance: number; source: string | null }

export type ModelMemory = {
  readonly id: string
  fields: Fields
  state: 'active' | 'archived'
  reason: string | null
  version: number
  /** What each version said that the memory ever had. */
  readonly versions: Map<number, Fields>
  /** Rises with each change of the content: a rejected connection stays away as long as it stands still. */
  revision: number
}

export type ModelConnection = {
  source: string
  target: string
  type: RelationshipType
  origin: 'asserted' | 'discovered'
  /** Those that are possible: of several copies any may have been taken. */
  strengths: (number | null)[]
  /** The run of a merge that copied it, as long as nobody asserts it. */
  copiedBy?: string
}

export type ModelRun = {
  id: string
  kind: 'merge' | 'forget'
  undone: boolean
  /** The memories as the run left them, or the undo of a later run. */
  left: { memory: ModelMemory; version: number; before: { version: number; fields: Fields } }[]
  /** For a merge: each kept memory with those that it stands for. */
  groups: { kept: string; merged: string[] }[]
}

type Snapshot = {
  memories: Map<string, ModelMemory>
  connections: ModelConnection[]
  rejected: readonly [string, string][]
  lines: string[]
}

/** What a tenant holds after the acknowledged calls, by plain rules in memory. */
export class World {
  readonly memories = new Map<string, ModelMemory>()
  readonly connections = new Map<string, ModelConnection>()
  readonly runs: ModelRun[] = []
  /**
   * Where the connections began and ended that somebody removed and discovery would make, with the revisions of both then. Of the
   * same two several count: a memory that is removed and imported again begins with its first revision.
   */
  readonly rejected = new Map<string, Set<string>>()
  /** Ids that were removed for good. */
  readonly removed = new Set<string>()
  snapshot: Snapshot | undefined

  active = () => [...this.memories.values()].filter(({ state }) => state === 'active')
  archived = () => [...this.memories.values()].filter(({ state }) => state === 'archived')

  memory(id: string): ModelMemory {
    const memory = this.memories.get(id)
    if (!memory) throw new Error(`The model does not know ${id}`)
    return memory
  }

  created(answer: Listed): void {
    if (this.removed.has(answer.id)) throw new Error(`${answer.id} was removed for good and is given again`)
    const fields = fieldsOf(answer)
    const { id, version } = answer
    const versions = new Map([[version, fields]])
    this.memories.set(id, { id, fields, state: 'active', reason: null, version, versions, revision: 1 })
  }

  /** The memory is as the answer has it, which must be a version that it never had. */
  changed(
    answer: Pick<Listed, 'id' | 'version'>,
    change: Partial<Omit<ModelMemory, 'id' | 'versions'>>,
  ): void {
    const memory = this.memory(answer.id)
    const highest = Math.max(...memory.versions.keys())
    if (answer.version <= highest)
      throw new Error(`${answer.id} has version ${answer.version} after version ${highest}`)
    if (change.fields && change.fields.content !== memory.fields.content) memory.revision++
    Object.assign(memory, change, { version: answer.version })
    memory.versions.set(answer.version, memory.fields)
  }

  /** Of a hard delete only merges hear: they alone keep what a memory says. The start of a rejected connection remembers it. */
  gone(id: string, how: 'hard delete' | 'erasure' | 'import'): void {
    this.memories.delete(id)
    this.removed.add(id)
    for (const pair of [...this.rejected.keys()]) if (pair.startsWith(id)) this.rejected.delete(pair)
    for (const run of this.runs)
      if (how !== 'hard delete' || run.kind === 'merge')
        run.left = run.left.filter(({ memory }) => memory.id !== id)
    for (const [key, { source, target }] of this.connections)
      if (source === id || target === id) this.connections.delete(key)
  }

  connect(connection: ModelConnection): void {
    this.connections.set(keyOf(connection), connection)
  }

  between = (source: string, target: string) =>
    [...this.connections.values()].filter(each => each.source === source && each.target === target)

  disconnect(source: string, target: string): void {
    for (const connection of this.between(source, target)) {
      this.connections.delete(keyOf(connection))
      if (connection.type === 'related_to') this.reject(source, target)
    }
  }

  /** Whether discovery must leave the pair alone. */
  isRejected = (one: string, other: string): boolean =>
    [[one, other] as const, [other, one] as const].some(ends =>
      this.rejected.get(ends.join())?.has(this.revisions(...ends)),
    )

  /** Whatever their contents were, as they are now. */
  reject(start: string, end: string): void {
    const pair = [start, end].join()
    this.rejected.set(pair, new Set(this.rejected.get(pair)).add(this.revisions(start, end)))
  }

  private revisions = (...ends: [string, string]) => ends.map(id => this.memory(id).revision).join()

  private rejectedPairs(): [string, string][] {
    const discovered = [...this.connections.values()].filter(({ origin }) => origin === 'discovered')
    const connected = new Set(discovered.map(({ source, target }) => [source, target].sort().join()))
    return [...this.rejected]
      .map(([pair, revisions]) => ({ ends: pair.split(',') as [string, string], revisions }))
      .filter(({ ends }) => ends.every(id => this.memories.has(id)) && !connected.has(ends.toSorted().join()))
      .filter(({ ends, revisions }) => revisions.has(this.revisions(...ends)))
      .map(({ ends }) => ends)
  }

  /** A merge gives the kept memory the connections of the others, unless it has them. */
  merged(run: ModelRun): void {
    for (const { kept, merged } of run.groups) {
      const group = new Set([kept, ...merged])
      for (const direction of ['source', 'target'] as const)
        for (const { source, target, type, origin, strengths } of this.assertedFirst()) {
          const own = direction === 'source' ? source : target
          const other = direction === 'source' ? target : source
          if (!merged.includes(own) || group.has(other)) continue
          const copy = {
            source: direction === 'source' ? kept : other,
            target: direction === 'source' ? other : kept,
          }
          this.copy({ ...copy, type, origin, strengths, copiedBy: run.id })
        }
    }
  }

  private assertedFirst(): ModelConnection[] {
    return [...this.connections.values()].sort((a, b) => a.origin.localeCompare(b.origin))
  }

  private copy(copy: ModelConnection): void {
    const own = this.connections.get(keyOf(copy))
    if (!own || (own.origin === 'discovered' && copy.origin === 'asserted')) this.connect(copy)
    // Of several memories with the same connection any may have been copied.
    else if (own.copiedBy === copy.copiedBy) own.strengths = [...own.strengths, ...copy.strengths]
  }

  /** Which memories an undo cannot change back, as they have changed since. */
  moved = (run: ModelRun): string[] =>
    run.left.flatMap(({ memory, version }) => {
      const now = this.memories.get(memory.id)
      return !now || (now === memory && memory.version === version) ? [] : [memory.id]
    })

  /** A memory that the undo skips keeps its copies. What an earlier run left is there again, so that it can be undone as well. */
  undone(run: ModelRun, skipped: readonly string[]): void {
    run.undone = true
    const kept = new Set(run.groups.map(group => group.kept).filter(id => !skipped.includes(id)))
    for (const [key, { source, target, copiedBy }] of this.connections)
      if (copiedBy === run.id && (kept.has(source) || kept.has(target))) this.connections.delete(key)
    for (const { memory, before } of run.left)
      if (!skipped.includes(memory.id))
        for (const left of this.runs.flatMap(each => (each === run ? [] : each.left)))
          if (left.memory === memory && left.version === before.version) left.version = memory.version
  }

  keepSnapshot(lines: string[]): void {
    this.snapshot = {
      lines,
      memories: structuredClone(this.memories),
      connections: structuredClone([...this.connections.values()]),
      rejected: this.rejectedPairs(),
    }
  }
}

export const keyOf = ({ source, target, type }: Pick<ModelConnection, 'source' | 'target' | 'type'>) =>
  `${source} ${type} ${target}`

export const fieldsOf = ({ content, tags, importance, source }: Fields): Fields => ({
  content,
  tags,
  importance,
  source,
})

/** A plan of a merge says in its reasons for which memory each of the others makes room. */
export function groupsOf(changes: Run['changes']): ModelRun['groups'] {
  const groups = new Map<string, string[]>()
  for (const { memory_id, reason } of changes) {
    const kept = /near duplicate of (\S+),/.exec(reason)?.[1]
    if (kept) groups.set(kept, [...(groups.get(kept) ?? []), memory_id])
  }
  return [...groups].map(([kept, merged]) => ({ kept, merged }))
}
