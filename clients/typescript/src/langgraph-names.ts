/** How namespaces and keys of LangGraph are named in a memory. The store of the Python client does the same. */
import type { Memory } from './client.ts'

export const ROOT = 'langgraph:'

/** What the service takes of characters in a session, a tag and a text of the metadata, and of tags less the one of ROOT. */
const SESSION = 200
const TAG = 100
const TEXT = 500
const DEEPEST = 49

/** A colon ends a label, so the others are escaped. */
export const fullName = (namespace: readonly string[]) => ROOT + namespace.map(encodeURIComponent).join(':')
export const labelsOf = (name: string) => name.slice(ROOT.length).split(':').map(unescaped)

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function nameOf(namespace: readonly string[], longest: number): Promise<string> {
  const full = fullName(namespace)
  return full.length <= longest ? full : ROOT + (await digestOf(full))
}

export async function shortKey(key: string): Promise<string> {
  const quoted = encodeURIComponent(key)
  return quoted.length <= TEXT ? quoted : digestOf(quoted)
}

/** A `#` begins no name, as it would be escaped. */
async function digestOf(name: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name))
  return `#${Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')}`
}

export const sessionOf = (namespace: readonly string[]) => nameOf(namespace, SESSION)

/** The longest tag that all memories below a namespace have. */
export const tagOf = (namespace: readonly string[]) => nameOf(namespace.slice(0, DEEPEST), TAG)

export const tagsOf = (namespace: readonly string[]): Promise<string[]> =>
  Promise.all(
    Array.from({ length: Math.min(namespace.length, DEEPEST) + 1 }, (_, depth) =>
      tagOf(namespace.slice(0, depth)),
    ),
  )

export async function metadataOf(namespace: readonly string[], key: string, indexed: boolean) {
  const short = await shortKey(key)
  return {
    key: short,
    ...(indexed ? {} : { indexed }),
    ...piecesOf('key', short, encodeURIComponent(key)),
    ...piecesOf('namespace', await sessionOf(namespace), fullName(namespace)),
  }
}

/** What a digest stands for. */
function piecesOf(name: string, short: string, full: string): Record<string, string> {
  if (short === full) return {}
  const pieces = full.match(new RegExp(`.{1,${TEXT}}`, 'g')) ?? []
  return Object.fromEntries(pieces.map((piece, at) => [`${name}.${at}`, piece]))
}

function spelledOut(name: string, short: string, metadata: Memory['metadata']): string {
  let full = ''
  for (let at = 0; metadata[`${name}.${at}`] !== undefined; at++) full += metadata[`${name}.${at}`]
  return full || short
}

export const namespaceOf = ({ session_id, metadata }: Memory) =>
  labelsOf(spelledOut('namespace', session_id ?? ROOT, metadata))

export const keyOf = ({ metadata }: Memory) =>
  unescaped(spelledOut('key', String(metadata.key ?? ''), metadata))
