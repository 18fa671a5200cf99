import type { Context } from '../../context.ts'
import { type FieldFault, ServiceError } from '../../contract/problems.ts'
import { findSecrets, maskSecrets } from '../../platform/text/secrets/index.ts'
import { mapInSlices } from '../../platform/time-slices.ts'

type Texts = {
  readonly content?: string | undefined
  readonly source?: string | null | undefined
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined
}

type Inspected = {
  readonly texts: { content?: string; source?: string; metadata?: Record<string, string | number | boolean> }
  readonly marks: string[]
}

/** Where a secret is, apart from the content, stands before its kind. */
const PLACES = ['source', 'metadata'] as const

/**
 * Memories with the kinds of the secrets that their texts hold: `api_key` in the content, `metadata:password` elsewhere.
 * As the settings say, the secrets are masked instead. @throws ServiceError `validation_failed` where they are refused
 */
export async function withMarks<Memory extends Texts>(
  { app: { config } }: Context,
  memories: readonly Memory[],
  pointerOf: (index: number) => string,
): Promise<(Memory & { sensitive: string[] })[]> {
  const faults: FieldFault[] = []
  const inspected = await mapInSlices(memories, inspect)
  const marked = memories.map((memory, index) => {
    const { texts, marks } = inspected[index] as Inspected
    if (config.secrets === 'mask') return { ...memory, ...texts, sensitive: [] }
    if (config.secrets === 'refuse') faults.push(...marks.map(mark => faultOf(pointerOf(index), mark)))
    return { ...memory, sensitive: marks }
  })
  refuseAll(faults)
  return marked
}

/** Connections whose reasons, which have no marks, are masked or refused if the settings say so. @throws ServiceError `validation_failed` */
export async function withCheckedReasons<Connection extends { readonly reason?: string | undefined }>(
  { app: { config } }: Context,
  connections: readonly Connection[],
  pointerOf: (index: number) => string,
): Promise<readonly Connection[]> {
  if (config.secrets === 'mark') return connections
  const faults: FieldFault[] = []
  const inspected = await mapInSlices(connections, ({ reason }) => inspect({ content: reason }))
  const checked = connections.map((connection, index) => {
    const { texts, marks } = inspected[index] as Inspected
    if (config.secrets === 'refuse')
      faults.push(...marks.map(kind => faultOf(pointerOf(index), `reason:${kind}`)))
    return { ...connection, ...(texts.content !== undefined && { reason: texts.content }) }
  })
  refuseAll(faults)
  return checked
}

function refuseAll(faults: readonly FieldFault[]) {
  const [first] = faults
  if (first) throw new ServiceError('validation_failed', first.message, { faults, faultCount: faults.length })
}

/** The kinds of the secrets in texts, and the texts with each secret masked. */
export function inspect({ content, source, metadata }: Texts): Inspected {
  const marks = new Set<string>()
  const masked = (place: (typeof PLACES)[number] | undefined, text: string) => {
    const secrets = findSecrets(text)
    for (const { kind } of secrets) marks.add(place === undefined ? kind : `${place}:${kind}`)
    return maskSecrets(text, secrets)
  }
  const texts = {
    ...(content !== undefined && { content: masked(undefined, content) }),
    ...(typeof source === 'string' && { source: masked('source', source) }),
    ...(metadata !== undefined && {
      metadata: Object.fromEntries(
        Object.entries(metadata).map(([name, value]) => [name, maskedValue(name, value)]),
      ),
    }),
  }
  return { texts, marks: [...marks] }

  // A name such as `password` says what its value is.
  function maskedValue(name: string, value: string | number | boolean) {
    if (typeof value !== 'string') return value
    const line = `${name}: ${value}`
    const shown = masked('metadata', line)
    return shown === line ? value : shown.slice(name.length + 2)
  }
}

function faultOf(pointer: string, mark: string): FieldFault {
  const [place, kind] = mark.includes(':') ? mark.split(':') : ['content', mark]
  return {
    pointer: `${pointer}/${place}`,
    code: 'secret',
    message: `\`${place}\` must not contain a secret (${kind}). Store the name of the secret, and keep its value where secrets are kept.`,
  }
}

/** The fields of a patch whose marks it replaces. */
export const markedPlaces = (changes: Texts): string[] =>
  (['content', ...PLACES] as const).filter(place => changes[place] !== undefined)
