import type { ConnectedClient } from '../shell/connect.ts'
import type { Terminal } from '../shell/terminal.ts'
import { checkFile } from './check.ts'
import { fetchBundle } from './fetch.ts'
import type { Verified } from './verify.ts'

/** Writes the bundle of the client's tenant into a file, resuming an earlier run, and checks it when it is whole. */
export async function exportFile(
  client: ConnectedClient,
  path: string,
  { tenant, vectors, terminal }: { tenant: string; vectors: boolean; terminal: Terminal },
): Promise<Verified> {
  await fetchBundle(client, path, {
    of: JSON.stringify([client.baseUrl, tenant, { vectors }]),
    vectors,
    signal: terminal.signal,
    onLines: lines => terminal.progress(`${lines} lines`),
    onPause: reason => terminal.note(`${reason}; going on from its last checkpoint`),
    onAnew: reason => terminal.note(`${reason}: starting again`),
  })
  return checkFile(path, terminal)
}
