/** The text of the pages around their figures. */
export const prose = {
  head: `# Performance

Searches through the service take 2.5 to 6 times as long as the best plain queries on Neo4j, keyword searches longest, and fetches twice as long. With
64 callers, creates reach about 70 % of the throughput of the best plain form, and four times that of one transaction for each write. Next to 240 busy
callers of another tenant, fetches and searches are up to ten times faster with the shares of tenants than without them.

![Median times of reads as multiples of the best plain queries](../images/plots/performance.svg)

## How it is measured

\`npm run bench\` writes this page. A run starts its own Neo4j, an embedding endpoint, and the service in production mode, each in its own process. The corpus
follows from a seed: topics and stories with similar texts, three tenants with 1 %, 10 % and 89 % of it, four connections for each memory, 384 dimensions. Searches and pages
read the largest tenant.

Three contestants do the same work with \`neo4j-driver\`, on the same data, indexes and embedding endpoint:

- **raw-best**: the best known form of each operation, with a group commit for writes and filters inside the indexes.
- **raw-http**: raw-best behind a plain HTTP server in a process of its own, for what reads.
- **raw-naive**: plain queries with filters after the index, pages by \`SKIP\`, and one transaction for each write.

The bench calls the service over HTTP and parses its responses. The contestants run in short rounds, in rotating order, so other work on the machine affects all of
them. Times are p50 / p99: the median of the rounds, and the 99th percentile of all calls. **Ratios are medians of the ratios of each round.** Trust the ratios more
than the times. Before the first round, each contestant runs for twenty seconds (two at sizes below medium). No query repeats, so no cached vector helps.`,
  parts: {
    'first-minute': {
      title: 'The first minute',
      text: `A service starts on an empty folder with its own Neo4j and the built-in model, as \`npm start\` does for a newcomer. Each operation is called
twice, one call after another: as soon as the service serves, half a minute later, and as soon as it serves while two other processes keep the processors busy.
Then 16 callers come as soon as a service on another empty folder serves: they store pairs of memories that belong together, search, read, change and archive them.

During the first half minute the service warms up: it runs the most used operations once. Until then, a first call waits while the database plans its statements.
The first stop of a managed Neo4j writes an archive of its classes to the cache folder, 125 MB, which makes later starts faster.`,
    },
    model: {
      title: 'The built-in model',
      text: `The model alone embeds questions. Then two callers fetch memories from a service while 5,000 memories are stored in batches of 500. Their discovery connects
nothing, because its threshold is 1.`,
    },
    reads: {
      title: 'Reads',
      text: `Searches ask for 10 results. The service does more work than raw-best in two operations:

- \`related\`: the service returns the strongest paths first. raw-best returns the nearest first and stops at the hundredth memory.
- Keyword and hybrid searches: the service reads the words of the hundred best matches and scores them itself, so that no word of another tenant counts. raw-best takes the first ten of the index.`,
    },
    walks: {
      title: 'Walks',
      text: `As above, raw-best does less work. Paths and subgraphs have no plain form that answers the same, so the table shows the service alone.`,
    },
    writes: {
      title: 'Writes',
      text: `A create returns when its transaction is committed, with the queued discovery and the entry in the feed of changes. The contestants store the same.
Each asks the endpoint for the vector first. The first rows are without a worker. In the others a worker of the service
discovers what all contestants write.`,
    },
    connections: {
      title: 'Connections',
      text: `Connections between pairs of existing memories. raw-best writes a batch in one statement, and shares commits of at most 128 connections among its callers, as the
service does. Both record each connection in the feed of changes.`,
    },
    neighbours: {
      title: 'Neighbours',
      text: `A tenant with one caller shares the service with a tenant with 240 callers. With [shares](../explanation/tenancy.md#shares-of-the-database), each tenant may run eight
statements at once. Without shares, each may run 80, which these callers hardly reach. Times
are those of the quiet tenant in ms, **with shares / without**: the median of the rounds, and the longest of all calls.`,
    },
    recall: {
      title: 'Recall',
      text: `The tables compare semantic searches over HTTP with an exact scan of the vectors: recall@10 over 40 queries each. A hit as near as the tenth counts
as right. Topics share a direction, so with 20 topics every query has many near neighbours.

Settings of the vector index:

- No quantization. A vector takes four bytes a dimension in the page cache, and needs no second pass.
- \`m\` is 16 and \`ef_construction\` is 100.
- Five candidates for each result (\`default_search_expansion_factor\`). A search asks for at least twenty results, and for more in larger databases: 40 among 100,000 memories, 127 among a million. It asks for four times as many if the last hit is not clearly nearer than the farthest candidate, which happens when texts have little in common.
- The index filters tenant, time limit, policy, importance and age. It cannot filter tags. If a tag keeps few memories, the service compares all of them. If it keeps many, the search widens until no further memory can be as near.

Each commit adds a segment to the index, and a search reads every segment. Neo4j merges segments when there are
\`internal.dbms.index.vector.standard_merge_factor\` of one size. The service's own Neo4j and \`docker-compose.yml\` use 10. The default is 50, which leaves more
segments. Fewer segments make searches and small commits faster, and bulk loads slower.`,
    },
    discovery: {
      title: 'Discovery',
      text: `1,000 new memories of existing stories are connected, alone and while two callers search. raw-best connects them in statements of 256, without a queue, a feed or
locks. The service works through its queue with one statement at a time, and records each connection in its feed.
Figures are medians of the rounds. The connections of the service are compared with an exact scan after each round, and the table shows the worst. Two cores
are too few for all of this: the p99 of searches grows under raw-best as well.`,
    },
    forgetting: {
      title: 'Forgetting',
      text: `Memories of one source are archived by plans of the kind \`forget\`, each made and then applied, one after another, while two callers search.`,
    },
    tracing: {
      title: 'Traces',
      text: `The same service, once with a span for each request, statement and provider call, all sent to a collector in the process of the bench, and once without traces.
The ratio is the median over the rounds. The collector shares the two cores with everything else, which counts against the traces.`,
    },
    tenants: {
      title: 'A large store',
      text: `A tenant with 500 MB of contents and a quota. The memories have no vectors. The first page of a backup is the first 100 kB of the export. \`/metrics\` keeps the figures
of the store for ten seconds: here each call reads them.`,
    },
    communities: {
      title: 'Communities',
      text: `The communities and the centrality of a graph of planted groups, nine of ten connections within a group. A worker computes them in a process of its own,
while one caller fetches memories of the same tenant.`,
    },
    soak: {
      title: 'Soak',
      text: `Eight callers send requests without a pause to a service with its worker: searches of each type, fetches, pages, walks, and every fourth time a create, a
change, or a create that is then archived and removed. Discovery and maintenance run in the meantime.
The service starts with the [options of \`npm start\`](../how-to/processes.md#memory), which save memory. [Scale](scale.md) shows the highest memory use under sixteen callers.`,
    },
  },
  limits: `## Limitations

- The bench, the endpoint, the service and Neo4j share the cores of one machine. With 16 callers, the ratio of throughputs is the ratio of all processor time.
- With one caller, processes sleep between requests. Waking them costs more on some machines, above all virtual ones, and a fetch through the service wakes twice as many.
- A provider across a network adds its own time to everything that needs a vector.`,
} as const

/** What the page about scale says around its table. */
export const scaleProse = {
  head: `# Scale

One machine with two cores holds a million memories. Fetches and pages take the same time at every size. Semantic searches with one caller go from 15 ms among a
thousand memories to 29 ms among a million.

![Median times by the number of memories](../images/plots/scale.svg)

\`npm run bench\` writes the table. [Performance](performance.md#how-it-is-measured) describes the corpus and compares with plain Neo4j queries.

## One machine

The machine runs the service, one Neo4j, an embedding endpoint and the bench. Data and indexes fit into memory.`,
  plan: `How to read the table:

- Each process has just started and was warmed up for two seconds. With a million memories it was warmed up with a fifth as many calls.
- A rebuilt vector index has other segments than one that grew by commits. The last row shows the effect on a search, in a warmer process.
- Neo4j writes its files at checkpoints. Newer data is in the transaction logs only, which use most of the disk after a load.

With a million memories and four million connections, Neo4j has 4 GiB of heap and 5 GiB of page cache:

- Semantic searches take half to two thirds longer than among 100,000, because a search reads 635 candidates ([recall](performance.md#recall)).
- Keyword searches take a sixth to a third longer. They read what Lucene knows of a word in the memories of all tenants.
- Creates with sixteen callers take nearly twice as long.
- The rebuild of the vector index took more than a quarter of an hour on one core and was stopped.

The page cache of Neo4j should hold the data. The machine needs further room for Lucene's files (vectors and full text), which the operating system caches.
Each vector is stored twice, in the store and in the index, with four bytes a dimension.

## Past one machine

| shortage | symptom | what to do |
|---|---|---|
| processor of the service | the service uses one core fully while Neo4j is idle | start more processes with \`SERVICE_ROLE=api\` behind a load balancer. They share only the database, so no sticky sessions are needed. The table shows two processes on two cores: without a free core they are hardly faster than one, or slower |
| the queue grows | \`oldest_age_seconds\` in \`GET /stats\` | start more processes with \`SERVICE_ROLE=worker\`. Each runs one statement of discovery at a time, and one that stores vectors. The limits of the embedding provider bound new vectors |
| processor of the database, reads | slow searches while the service is idle | use a bigger server first: searches use all its cores. Then [a cluster](../how-to/cluster.md) (Enterprise, Aura), which spreads reads over its members |
| writes | creates wait with many callers | nothing to set: callers share commits, so throughput grows with the number of waiting callers. All writes go to one server. Beyond that, spread the tenants |
| memory of the database | page cache misses, slow first searches | a bigger server, fewer dimensions, or spread tenants |
| one tenant sends very many requests | its own requests wait, those of others [hardly](performance.md#neighbours) | nothing to set: tenants have shares in each process. To give one tenant more, raise \`SERVICE_TENANT_CONCURRENCY\` for all, or give it its own processes |
| one tenant is too large | only its searches are slow | a tenant cannot be divided. Give it a server that holds it |
| too many tenants for one server | all of the above | run one deployment (database and services) for each group of tenants, with a router that knows the tenant or its key. \`mnemograph export\` and \`import\` move a tenant with ids, vectors and connections |

The last limit is the single writer: one Neo4j commits all writes. From the figures of [performance](performance.md#writes), two cores commit tens of thousands of memories a minute.
The embedding provider reaches its limit long before that.`,
} as const
