import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { joinSockets } from '../../support/joined-sockets.ts'
import { bookmarksIn, failure, framed, messagesOf, routingTable, success, withoutBookmarks } from './bolt.ts'

/** What the members of the cluster are for at a time. */
export type Roles = {
  /** Whether clients can reach a leader now. */
  open: boolean
  leader: number
}

export type RouterOptions = {
  /** The true databases, as `bolt://host:port`. */
  members: readonly string[]
  roles: Roles
  /** Tells that a member has committed what a bookmark stands for. */
  committed(member: number, bookmark: string): void
  /** Resolves when a member has what the bookmarks stand for. */
  reached(member: number, bookmarks: readonly string[]): Promise<void>
}

const ROUTE = 0x66
const BEGIN = 0x11
const RUN = 0x10
const RESET = 0x0f
/** SUCCESS, FAILURE and IGNORED: each ends the answer to a request. */
const SUMMARIES = new Set([0x70, 0x7f, 0x7e])
const IGNORED = Buffer.from([0xb0, 0x7e])
/** How the driver offers to negotiate at length, for versions from 6 on. */
const MANIFEST = Buffer.from([0, 0, 1, 0xff])
const BOLT_6 = Buffer.from([0, 0, 0, 6])

/**
 * A cluster as a driver sees it: an address for each member, a routing table, members that wait for bookmarks, and a
 * member that refuses writes while it does not lead. Behind each address is a true Neo4j of its own.
 */
export async function startRouter({ members, roles, committed, reached }: RouterOptions) {
  const sockets = new Set<Socket>()
  let reads = 0

  const table = () =>
    routingTable({
      writers: roles.open ? [addresses[roles.leader] as string] : [],
      readers: roles.open ? addresses.filter((_, at) => at !== roles.leader) : [],
      routers: addresses,
    })

  const wire = (member: number) => (client: Socket) => {
    const server = connect(Number(new URL(members[member] as string).port), '127.0.0.1')
    joinSockets(sockets, client, server)
    const take = messagesOf()
    let greeted = false
    /** Messages keep their order also while one waits for a bookmark. */
    let last = Promise.resolve()
    /** Requests that the database has not answered yet: answers keep their order too. */
    let open = 0
    let settle = () => {}
    const send = (message: Buffer) => {
      open++
      server.write(framed(message))
    }
    const answer = async (message: Buffer) => {
      if (open > 0)
        await new Promise<void>(resolve => {
          settle = resolve
        })
      client.write(framed(message))
    }
    let failed = false
    const refuse = (code: string) => {
      failed = true
      return answer(failure(code, 'Not here, and not now.'))
    }
    client.on('data', bytes => {
      if (!greeted) {
        greeted = true
        server.write(withoutManifest(bytes.subarray(0, 20)))
        if (bytes.length > 20) forward(bytes.subarray(20))
      } else forward(bytes)
    })
    const forward = (bytes: Buffer) => {
      for (const message of take(bytes)) last = last.then(() => pass(message))
    }
    const pass = async (message: Buffer) => {
      const kind = message[1]
      if (kind === RESET) failed = false
      if (failed) return answer(IGNORED)
      if (kind === ROUTE) return answer(success(table()))
      if (kind !== BEGIN && !isAlone(message)) return send(message)
      if (!roles.open) return refuse('Neo.TransientError.General.DatabaseUnavailable')
      const isFollower = member !== roles.leader
      if (isFollower && !isRead(message)) return refuse('Neo.ClientError.Cluster.NotALeader')
      if (isFollower) reads++
      await reached(member, bookmarksIn(message))
      send(withoutBookmarks(message))
    }
    const answers = messagesOf()
    let shaken = 4
    server.on('data', bytes => {
      const shake = bytes.subarray(0, Math.min(shaken, bytes.length))
      shaken -= shake.length
      const messages = answers(bytes.subarray(shake.length))
      for (const message of messages)
        for (const bookmark of bookmarksIn(message, 'bookmark')) committed(member, bookmark)
      client.write(bytes)
      open -= messages.filter(message => SUMMARIES.has(message[1] as number)).length
      if (open === 0) settle()
    })
  }

  const servers = members.map((_, member) => createServer(wire(member)).listen(0, '127.0.0.1'))
  await Promise.all(servers.map(server => once(server, 'listening')))
  const addresses = servers.map(server => `127.0.0.1:${(server.address() as AddressInfo).port}`)
  return {
    uri: `neo4j://${addresses[0]}`,
    /** How many reads went to members that do not lead. */
    reads: () => reads,
    /** Cuts every line, in the middle of whatever is on it. */
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
    },
  }
}

/** Offers one version in place of the manifest: then the server chooses one in four bytes. */
function withoutManifest(handshake: Buffer): Buffer {
  const at = handshake.indexOf(MANIFEST, 4)
  if (at < 0) return handshake
  return Buffer.concat([handshake.subarray(0, at), BOLT_6, handshake.subarray(at + 4)])
}

/** A statement outside of a transaction names its database, `db`. */
const isAlone = (message: Buffer) => message[1] === RUN && message.includes(Buffer.from([0x82, 0x64, 0x62]))

/** A transaction says that it only reads: `mode: "r"`. */
const isRead = (message: Buffer) => message.includes(Buffer.from([0x84, ...Buffer.from('mode'), 0x81, 0x72]))
