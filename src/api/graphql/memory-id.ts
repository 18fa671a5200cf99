/** Every memory has its id under this name, whether or not the query selects it. */
export const ID = 'id__'
/** And its owner, for a caller who reads in both its tenants. */
export const OWNER = 'owner__'

/** A private memory. Its owner may have a shared one with the same id, which stands for itself by its id alone. */
class PrivateId {
  readonly id: string
  readonly owner: string

  constructor(id: string, owner: string) {
    this.id = id
    this.owner = owner
  }
}

/** What an answer has in place of a memory until the graph is read. */
export type MemoryId = string | PrivateId

export const memoryIdOf = (id: string, owner: string | null | undefined): MemoryId =>
  owner ? new PrivateId(id, owner) : id

export const isMemoryId = (value: unknown): value is MemoryId =>
  typeof value === 'string' || value instanceof PrivateId

export const plainId = (given: MemoryId): string => (typeof given === 'string' ? given : given.id)

export const ownerOfId = (given: MemoryId): string | null => (typeof given === 'string' ? null : given.owner)

/** Ids are stored in lower case. */
export const lowerCase = (id: string) => id.toLowerCase()
