import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { inject } from 'vitest'
import { fixture } from './fixture.ts'
import { joinSockets } from './joined-sockets.ts'

type Mode =
  | { kind: 'pass' }
  /** Takes every byte and gives none back, on old connections and new ones. */
  | { kind: 'swallow' }
  /**
   * Once: cuts the line at the statement that holds this text. `request`: instead of passing it on. `answer`: passes it
   * on, and cuts when the database says it is committed.
   */
  | { kind: 'lose'; what: 'request' | 'answer'; at: string }
  /**
   * Once: at a moment of the statement that holds this text, never carries a byte again on its line, and calls back.
   * `sent`: before the statement reaches the database. `commit`: before the commit of its transaction does.
   * `answered`: when the database has committed it and before anyone hears of it.
   */
  | { kind: 'strike'; at: string; when: 'sent' | 'commit' | 'answered'; then: () => void }

/** A connection to Neo4j that fails on demand. */
export async function startBoltProxy(uri: string) {
  const target = new URL(uri)
  const sockets = new Set<Socket>()
  let mode: Mode = { kind: 'pass' }
  let cuts = 0
  let wires = 0
  let forgotten = 0
  let answered = 0

  const cut = (...ends: Socket[]) => {
    mode = { kind: 'pass' }
    cuts++
    for (const end of ends) end.destroy()
  }

  const wire = (client: Socket) => {
    const server = connect(Number(target.port), target.hostname)
    joinSockets(sockets, client, server)
    const number = ++wires
    const mute = () => mode.kind === 'swallow' || number <= forgotten
    let doomed = false
    let marked: Extract<Mode, { kind: 'strike' }> | undefined
    let dead = false
    const holds = statementsOn()
    const strikes = (when: string, bytes: Buffer, at: boolean) => {
      if (mode.kind === 'strike' && at) marked = mode
      if (marked === undefined || marked !== mode || marked.when !== when) return false
      if (when === 'commit' && !bytes.includes(COMMIT)) return false
      mode = { kind: 'pass' }
      dead = true
      marked.then()
      return true
    }
    client.on('data', bytes => {
      if (mute() || dead) return
      const at = holds(bytes, 'at' in mode ? mode.at : undefined)
      if (strikes('sent', bytes, at) || strikes('commit', bytes, at)) return
      if (mode.kind === 'lose' && at) {
        if (mode.what === 'request') return cut(client, server)
        doomed = true
      }
      server.write(bytes)
    })
    server.on('data', bytes => {
      answered += bytes.length
      if (mute() || dead) return
      if (bytes.includes('bookmark') && strikes('answered', bytes, false)) return
      // Neo4j names a bookmark when, and only when, a transaction is committed.
      if (doomed && bytes.includes('bookmark')) return cut(client, server)
      client.write(bytes)
    })
  }

  let listener: Server | undefined = await open(wire, 0)
  const { port } = listener.address() as { port: number }
  const close = async () => {
    const closed = listener && once(listener, 'close')
    listener?.close()
    listener = undefined
    for (const socket of sockets) socket.destroy()
    await closed
  }

  return {
    uri: `bolt://127.0.0.1:${port}`,
    /** How many bytes the database has answered. */
    answered: () => answered,
    /** How often the line was cut. */
    cuts: () => cuts,
    set(next: Mode) {
      mode = next
    },
    /** Does something that loses one request or answer. @throws when the line was not cut once: then nothing was shown */
    async losing<T>(what: 'request' | 'answer', at: string, work: () => Promise<T>): Promise<T> {
      const before = cuts
      mode = { kind: 'lose', what, at }
      const done = await work().finally(() => {
        mode = { kind: 'pass' }
      })
      if (cuts !== before + 1) throw new Error(`The line was cut ${cuts - before} times, not once, at ${at}`)
      return done
    },
    /** The connections of now stay open and never carry a byte again; new ones work. */
    forget() {
      forgotten = wires
    },
    /** As a database that is down: old connections end, new ones are refused. */
    refuse: close,
    async accept() {
      mode = { kind: 'pass' }
      listener ??= await open(wire, port)
    },
    [Symbol.asyncDispose]: close,
  }
}

/** A proxy before the database of the run, for the tests of a file. */
export const withBoltProxy = () => fixture(() => startBoltProxy(inject('neo4j').uri))

/** As much of what came before as any text that is looked for. */
const LONGEST = 200

/**
 * Says of each piece of a line whether the text that is looked for ends in it. The driver cuts a long statement into chunks,
 * with two bytes before each.
 */
function statementsOn() {
  let before = ''
  return (bytes: Buffer, text: string | undefined): boolean => {
    const all = before + bytes.toString('latin1')
    const known = before.length
    before = all.slice(-LONGEST)
    if (text === undefined) return false
    const chunked = new RegExp([...text].map(asPattern).join('(?:[^]{2})?'), 'g')
    return [...all.matchAll(chunked)].some(({ 0: found, index }) => index + found.length > known)
  }
}

const asPattern = (sign: string) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`

/** The message that asks for the commit of a transaction, with its length before it. */
const COMMIT = Buffer.from([0, 2, 0xb0, 0x12])

async function open(wire: (client: Socket) => void, port: number): Promise<Server> {
  const server = createServer(wire)
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return server
}
