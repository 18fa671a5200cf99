import { createHash, randomBytes } from 'node:crypto'

/** A new password. Hexadecimal, because programs read one that begins with a dash as an option. */
export const makePassword = () => randomBytes(16).toString('hex')

const ITERATIONS = 1024

/**
 * The line of `data/dbms/auth.ini`, from which Neo4j takes its first user when it starts on an empty folder, as
 * `neo4j-admin dbms set-initial-password` writes it: that program would take five seconds of processor time.
 */
export function initialUser(password: string): string {
  const salt = randomBytes(32)
  let digest = sha256(Buffer.concat([salt, Buffer.from(password)]))
  for (let at = 1; at < ITERATIONS; at++) digest = sha256(digest)
  return `neo4j:SHA-256,${digest.toString('hex')},${salt.toString('hex')},${ITERATIONS}:\n`
}

const sha256 = (data: Buffer) => createHash('sha256').update(data).digest()
