import neo4j, { Neo4jError } from 'neo4j-driver'
import { onTestFinished } from 'vitest'
import type { TestService } from './service.ts'

export type Statement = { text: string; parameters: Record<string, unknown> }

type Runner = { run: (text: string, parameters?: Record<string, unknown>, ...rest: unknown[]) => unknown }
type Session = Runner & { beginTransaction: (...rest: unknown[]) => Runner }

/** Writes down every statement that a service sends from now on, until the test is over. */
export function listenTo(service: TestService): Statement[] {
  const { heard, takeBack } = listenThroughout(service)
  onTestFinished(takeBack)
  return heard
}

/** The same for all tests of a file, or until it is taken back. */
export function listenThroughout(service: TestService) {
  const heard: Statement[] = []
  const listen = <Each extends Runner>(runner: Each): Each => {
    const run = runner.run.bind(runner)
    runner.run = (text, parameters = {}, ...rest) => {
      heard.push({ text, parameters })
      return run(text, parameters, ...rest)
    }
    return runner
  }
  const takeBack = changeSessions(service, session => {
    const begin = listen(session).beginTransaction.bind(session)
    session.beginTransaction = (...rest) => listen(begin(...rest))
  })
  return { heard, takeBack }
}

/** Does something right before a service sends the first statement that holds a fragment. */
export function beforeFirst(service: TestService, fragment: string, work: () => Promise<unknown>) {
  const takeBack = changeSessions(service, session => {
    const run = session.run.bind(session)
    session.run = (text, ...rest) => {
      if (!text.includes(fragment)) return run(text, ...rest)
      takeBack()
      session.run = run
      return work().then(() => run(text, ...rest))
    }
  })
  onTestFinished(takeBack)
}

/** Holds back every statement with a fragment until they are released, or the test is over. All of them are in `held`. */
export function holdBack(service: TestService, fragment: string) {
  const held: Statement[] = []
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const hold = <Each extends Runner>(runner: Each): Each => {
    const run = runner.run.bind(runner)
    runner.run = (text, parameters = {}, ...rest) => {
      if (!text.includes(fragment)) return run(text, parameters, ...rest)
      held.push({ text, parameters })
      return promise.then(() => run(text, parameters, ...rest))
    }
    return runner
  }
  const takeBack = changeSessions(service, session => {
    const begin = hold(session).beginTransaction.bind(session)
    session.beginTransaction = (...rest) => hold(begin(...rest))
  })
  onTestFinished(() => {
    takeBack()
    release()
  })
  return { held, release }
}

/** Changes each session that a service opens from now on, until it is taken back. */
function changeSessions(service: TestService, change: (session: Session) => void): () => void {
  const { driver } = service.app.neo4j
  const open = driver.session.bind(driver)
  const takeBack = () => {
    driver.session = open
  }
  driver.session = options => {
    const session = open(options)
    change(session as unknown as Session)
    return session
  }
  return takeBack
}

/** What is asked for one tenant: a process also looks on its own, which space is active and what the feeds of many have. */
export const heardOf = (tenant: string, heard: readonly Statement[]): string[] =>
  heard
    .filter(({ parameters: { tenants, ...others } }) => JSON.stringify(others).includes(tenant))
    .map(({ text }) => text)

/**
 * The variables of a statement that stand for a memory, or for a connection of two nodes that are none, and are
 * nowhere held to the tenant of the request.
 */
export function unbound(text: string): string[] {
  const memories = [
    ...text.matchAll(/\((\w+):Memory\b/g),
    ...text.matchAll(/queryNodes\([^)]*\)\s*YIELD node(?: AS (\w+))?/g),
    ...text.matchAll(/\(:(Memory)\b/g),
  ].map(([, name]) => name ?? 'm')
  const edges = [...text.matchAll(/\(\)-\[(\w+):/g)].map(([, name]) => name as string)
  const isBound = (name: string) =>
    new RegExp(`\\b${name}\\.tenant = (\\$tenant|row\\.tenant|\\$into)\\b`).test(text) ||
    new RegExp(`\\(${name}:Memory \\{[^}]*tenant: (\\$tenant|row\\.tenant)\\b`).test(text)
  return [...new Set([...memories, ...edges])].filter(name => !isBound(name))
}

/**
 * Loses the answer to the first statement of a service that holds a fragment: the database has done it, something else happens,
 * and only then the service hears that its connection is gone.
 */
export function loseFirstAnswer(service: TestService, fragment: string, meanwhile: () => Promise<unknown>) {
  const lost = async (done: Promise<unknown>) => {
    await done
    await meanwhile()
    throw new Neo4jError('the connection was lost', neo4j.error.SESSION_EXPIRED, '', '')
  }
  let isLost = false
  const takeBack = changeSessions(service, session => {
    const [run, begin] = [session.run.bind(session), session.beginTransaction.bind(session)]
    session.run = (text, ...rest) => {
      if (isLost || !text.includes(fragment)) return run(text, ...rest)
      isLost = true
      return lost(Promise.resolve(run(text, ...rest)))
    }
    session.beginTransaction = (...rest) => {
      const transaction = begin(...rest) as Runner & { commit: () => Promise<unknown> }
      const [runIn, commit] = [transaction.run.bind(transaction), transaction.commit.bind(transaction)]
      let holds = false
      transaction.run = (text, ...values) => {
        holds ||= text.includes(fragment)
        return runIn(text, ...values)
      }
      transaction.commit = () => {
        if (isLost || !holds) return commit()
        isLost = true
        return lost(commit())
      }
      return transaction
    }
  })
  onTestFinished(takeBack)
}
