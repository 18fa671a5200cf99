import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { neo4jVersion } from '../src/platform/neo4j/maven.ts'

const root = join(import.meta.dirname, '..')

/** The commit of the tree as it is now, of which the processes of a run are started. */
export function revision(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const changed = git('status', '--porcelain', '--', 'src', 'schema') !== ''
  return git('rev-parse', '--short', 'HEAD') + (changed ? ' with changes that were not committed' : '')
}

/** What a figure is worth nothing without; `began` is the commit at the beginning of the run. */
export function circumstances(began: string) {
  const ended = revision()
  return {
    commit: began === ended ? began : `${began} at its beginning and ${ended} at its end`,
    date: new Date().toISOString().slice(0, 10),
    machine: `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${release()}`,
    versions: `Node ${process.versions.node}, Neo4j Community ${neo4jVersion}`,
  }
}
