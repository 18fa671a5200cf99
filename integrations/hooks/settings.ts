import { SourceError } from '../reading/found.ts'
import { isFields, itemsIn, objectOf } from '../reading/json.ts'
import { readTextFile } from '../reading/text.ts'
import { type HookHost, hostHooks } from './hosts.ts'

/** The words before the host in the command of a hook, by which it is known again. */
export const HOOK_WORDS = ['hooks', 'run']

/** The settings of a host with our hooks, or without them; all else in them stays. */
export function withHooks(host: HookHost, settings: object, ours: string | undefined): object {
  const { events, entry, besides = {} } = hostHooks[host]
  const isOurs = (each: unknown) => JSON.stringify(each).includes(`${HOOK_WORDS.join(' ')} ${host}`)
  const before = objectOf(objectOf(settings).hooks)
  const kept = Object.fromEntries(
    Object.entries(before).map(([event, entries]) => [event, itemsIn(entries).filter(each => !isOurs(each))]),
  )
  const added = ours === undefined ? [] : events.map(event => [event, [...(kept[event] ?? []), entry(ours)]])
  const hooks = Object.entries({ ...kept, ...Object.fromEntries(added) }).filter(
    ([event, entries]) => (entries as unknown[]).length > 0 || !events.includes(event),
  )
  return { ...(ours === undefined ? {} : besides), ...settings, hooks: Object.fromEntries(hooks) }
}

/** @throws SourceError if the file is there and no object in JSON: nobody's settings are overwritten */
export async function readHostFile(path: string): Promise<object> {
  const text = await readTextFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  try {
    const value: unknown = JSON.parse(text)
    if (isFields(value)) return value
  } catch {
    // Said below.
  }
  throw new SourceError(`${path} is no object in JSON. Correct it, then install again.`)
}
