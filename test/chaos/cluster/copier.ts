import neo4j, { type Driver, type Integer } from 'neo4j-driver'

type Node = { id: string; labels: string[]; properties: Record<string, unknown> }
type Edge = { id: string; from: string; to: string; type: string; properties: Record<string, unknown> }

const driverOf = (uri: string) => neo4j.driver(uri, neo4j.auth.basic('neo4j', 'any'))

/**
 * Copies what one database has into another, node by node and connection by connection, whatever they are. Each copy
 * takes the whole of what has been committed when it starts.
 */
export function createCopier(from: string, to: string) {
  const source = driverOf(from)
  const target = driverOf(to)
  let nodes = new Map<string, string>()
  let edges = new Map<string, string>()
  return {
    /** Gives the target the indexes and constraints of the source, and removes everything else from it. */
    async prepare() {
      await rows(target, 'MATCH (n) DETACH DELETE n')
      const wanted = await statementsOf(source)
      const there = await statementsOf(target)
      for (const [name, statement] of wanted) if (!there.has(name)) await rows(target, statement)
      await rows(target, 'CREATE INDEX copied IF NOT EXISTS FOR (n:Copied) ON (n.copyOf)')
      await rows(target, 'CALL db.awaitIndexes(60)')
      nodes = new Map()
      edges = new Map()
    },
    async copy() {
      const found = await snapshotOf(source)
      const nextNodes = new Map(found.nodes.map(node => [node.id, fingerprint(node)]))
      // What was created while the snapshot was read comes with the next copy.
      const between = found.edges.filter(({ from, to }) => nextNodes.has(from) && nextNodes.has(to))
      const nextEdges = new Map(between.map(edge => [edge.id, fingerprint(edge)]))
      const parameters = {
        goneEdges: missing(edges, nextEdges),
        goneNodes: missing(nodes, nextNodes),
        nodes: found.nodes.filter(({ id }) => nodes.get(id) !== nextNodes.get(id)),
        edges: between.filter(({ id }) => edges.get(id) !== nextEdges.get(id)),
      }
      const isApplied = await apply(target, parameters)
      if (!isApplied) return
      nodes = nextNodes
      edges = nextEdges
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([source.close(), target.close()])
    },
  }
}

async function rows<T = unknown>(driver: Driver, text: string, parameters = {}): Promise<T[]> {
  const { records } = await driver.executeQuery(text, parameters)
  return records.map(record => record.toObject() as T)
}

/** What makes the indexes and constraints of a database, by name. */
async function statementsOf(driver: Driver): Promise<Map<string, string>> {
  const found = await rows<{ name: string; made: string }>(
    driver,
    `SHOW CONSTRAINTS YIELD name, createStatement RETURN name, createStatement AS made`,
  )
  const indexes = await rows<{ name: string; made: string }>(
    driver,
    `SHOW INDEXES YIELD name, createStatement, type, owningConstraint
    WHERE type <> 'LOOKUP' AND owningConstraint IS NULL
    RETURN name, createStatement AS made`,
  )
  return new Map([...found, ...indexes].map(({ name, made }) => [name, made]))
}

async function snapshotOf(driver: Driver): Promise<{ nodes: Node[]; edges: Edge[] }> {
  await using session = driver.session({ defaultAccessMode: 'READ' })
  return await session.executeRead(async transaction => {
    const all = async <T>(text: string) =>
      (await transaction.run(text)).records.map(record => record.toObject() as T)
    return {
      nodes: await all<Node>(
        'MATCH (n) RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties',
      ),
      edges: await all<Edge>(
        `MATCH (a)-[r]->(b)
        RETURN elementId(r) AS id, elementId(a) AS from, elementId(b) AS to, type(r) AS type,
          properties(r) AS properties`,
      ),
    }
  })
}

const fingerprint = (thing: unknown) =>
  JSON.stringify(thing, (_, value) => (neo4j.isInt(value) ? (value as Integer).toString() : value))

const missing = (before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>) =>
  [...before.keys()].filter(id => !now.has(id))

/**
 * In one transaction: a reader of the target sees all of a copy or none. `copyOf` names the original; Neo4j gives the id of one
 * that is gone to another, which can have other labels and other ends. Answers whether it was possible: a copy that was read
 * while something moved can hold it twice.
 */
async function apply(
  driver: Driver,
  parameters: { goneEdges: string[]; goneNodes: string[]; nodes: Node[]; edges: Edge[] },
): Promise<boolean> {
  if (Object.values(parameters).every(list => list.length === 0)) return true
  await using session = driver.session()
  const applying = session.executeWrite(async transaction => {
    const run = (text: string) => transaction.run(`CYPHER 25 ${text}`, parameters)
    await run('MATCH ()-[r]->() WHERE r.copyOf IN $goneEdges + [row IN $edges | row.id] DELETE r')
    await run('MATCH (n:Copied) WHERE n.copyOf IN $goneNodes DETACH DELETE n')
    // All of them first: a unique value may have gone from one node to another.
    await run(`UNWIND $nodes AS row
      MERGE (n:Copied {copyOf: row.id})
      WITH n, [label IN labels(n) WHERE label <> 'Copied'] AS former
      REMOVE n:$(former)`)
    await run(`UNWIND $nodes AS row
      MATCH (n:Copied {copyOf: row.id})
      SET n = row.properties, n.copyOf = row.id, n:$(row.labels)`)
    await run(`UNWIND $edges AS row
      MATCH (a:Copied {copyOf: row.from}), (b:Copied {copyOf: row.to})
      CREATE (a)-[r:$(row.type)]->(b)
      SET r = row.properties, r.copyOf = row.id`)
  })
  return await applying.then(
    () => true,
    error => {
      if (error.code !== 'Neo.ClientError.Schema.ConstraintValidationFailed') throw error
      return false
    },
  )
}
