/** What an expression may be. `plain` contains no memory and no connection, at any depth; of `mixed` nothing is known. */
export type Kind =
  | { readonly is: 'plain' }
  | { readonly is: 'null' }
  | GraphKind
  | { readonly is: 'path' }
  | { readonly is: 'list'; readonly of: Kind }
  | { readonly is: 'map'; readonly entries: ReadonlyMap<string, Kind> }
  | { readonly is: 'mixed' }

/** A memory, a recall or a connection. */
export type GraphKind = { readonly is: 'node'; readonly label: Label } | { readonly is: 'connection' }

export const labels = ['Memory', 'Recall'] as const
export type Label = (typeof labels)[number]

export const plainKind: Kind = { is: 'plain' }
export const nothing: Kind = { is: 'null' }
export const mixed: Kind = { is: 'mixed' }
export const connection: GraphKind = { is: 'connection' }
export const pathKind: Kind = { is: 'path' }
export const nodeOf = (label: Label): GraphKind => ({ is: 'node', label })
export const listKind = (of: Kind): Kind => (isPlain(of) ? plainKind : { is: 'list', of })

export const isPlain = ({ is }: Kind) => is === 'plain' || is === 'null'

/** What is one or the other. */
export function either(a: Kind, b: Kind): Kind {
  if (a.is === 'null') return b
  if (b.is === 'null') return a
  if (a.is === 'list' && b.is === 'list') return listKind(either(a.of, b.of))
  if (a.is === 'node' && b.is === 'node') return a.label === b.label ? a : mixed
  const isSame = a.is === b.is && a.is !== 'map'
  return isSame ? a : mixed
}

export const eitherOf = (kinds: readonly Kind[]): Kind => kinds.reduce(either, nothing)

/** An item of it, where it is a list. */
export function itemOf(kind: Kind): Kind {
  if (kind.is === 'list') return kind.of
  return isPlain(kind) ? plainKind : mixed
}
