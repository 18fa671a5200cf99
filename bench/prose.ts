/** What the page says beside the figures. */
export const prose = {
  head: `# Performance

Written by \`npm run bench\` from its results in \`bench/results\`; figures are never typed in. One run starts its own Neo4j,
an embedding endpoint on the loopback address and the service in production mode, each a process of its own, and loads a
corpus that follows from a seed: topics and stories whose texts lie near each other, three tenants with 1 %, 10 % and 89 %
of it, four connections a memory of which most end in few memories. 384 dimensions. Searches and pages read the largest tenant.

Two contestants do the same work with \`neo4j-driver\` alone, in the process of the bench, on the same data and indexes, and
ask the same endpoint for the vectors of queries and of new memories:

- **raw-best**: the best forms known for each operation, with a group commit for writes and the filters inside the indexes;
- **raw-naive**: plain queries: filters behind the index, pages by \`SKIP\`, one transaction for each write.

The service is called over HTTP with connections that are kept, and its answers are read as JSON. The contestants take turns
in short rounds, another one first each time, so that whatever else the machine does falls on all alike. Times are p50 / p99:
the median of the rounds, and the 99th percentile of the calls of all rounds together. **Ratios are medians of the ratios of
each round**: trust them, and not the times, where the load was high. Before the first round each contestant is called for twenty
seconds (two at the sizes below medium), so that what runs often is compiled: Neo4j gets quicker for a minute or so, and the
quicker it is the more weighs what the service adds. No query comes twice, so no remembered vector helps.`,
  parts: {
    reads: {
      title: 'Reads',
      text: `Searches ask for 10 results. \`related\` is the strongest paths first for the service and the nearest first for
raw-best, whose walk is shorter: it stops at the hundredth memory that it meets. raw-best reads a row for each memory, as its
forms do; the service has the hits of a search or the memories of a page in one row, and numbers as floats, which spares the driver objects.
Where words count, raw-best names the tenant once, \`+scope:T +content:(a b)\`, and the service beside each word,
\`(+scope:T +content:a) (+scope:T +content:b)\`: Lucene finds the same with the same scores, and is quicker in large tenants.`,
    },
    writes: {
      title: 'Writes',
      text: `A create is answered when its transaction, with the queued discovery, and the entry in the feed of
changes is committed; the contestants store the same. The vector is asked of the endpoint before. The service runs without a worker here, as the contestants do.
What is created while warming up stays beside the memories of the size.`,
    },
    neighbours: {
      title: 'Neighbours',
      text: `A tenant with one caller beside another with 240 on the same service, the first asking in turns. With shares each of them
has eight statements under way in the database at the most (\`SERVICE_TENANT_CONCURRENCY\`), and where none is left the next
one is that of the tenant whose turn it is; without (80 for each), the callers hardly meet their end. Times are those of the quiet tenant's
calls in ms, **with shares / without**: the medians of the rounds, and the longest of all calls.`,
    },
    recall: {
      title: 'Recall',
      text: `recall@10 of semantic searches over HTTP against an exact scan of the vectors, over 40 queries each; one as
near as the tenth counts as right. Topics share a direction: with 20 of them every search looks into a crowd.

The settings of the vector index behind it: no quantisation, five candidates for each result (\`default_search_expansion_factor\`)
with at least twenty results asked for, more the more memories there are (40 among 100,000, 127 among a million), and four times as many
where the last hit is not clearly nearer than the farthest candidate: it is so where texts have little in common,
\`m\` 16 and \`ef_construction\` 100. Vectors as they are cost four bytes a dimension and memory of the page cache, and spare
the second look that quantised ones need; the candidates can only be set on the index, so another number means another
space. Tenant, time limit, policy, importance and age are filtered inside the index. The time limit of an
archived memory is 0 there (\`liveUntil\`): testing the state too would make each search read all that is active. Tags cannot be filtered there: where a tag
keeps few memories they are all measured, where it keeps many the search widens until no further one can be as near.

Each commit adds a part to the index, and a search looks into every part. Neo4j joins parts when there are
\`internal.dbms.index.vector.standard_merge_factor\` of a size: 10 with the service's own Neo4j and in docker-compose.yml, 50 by default,
which leaves many more. Searches are quicker with fewer parts, small commits too; bulk loads are slower.`,
    },
    discovery: {
      title: 'Discovery',
      text: `1,000 new memories of stories that are there already. raw-best connects them in statements of 256, without a queue, a
feed or locks; the service works through its queue with one statement under way, which takes longer and leaves the database to
searches, tells its feed of each connection, and shares two cores with the searches of two callers where these go on. What is queued
was queued before; the clock runs from when the queue is resumed, which wakes the worker as a write does, until it is empty. Both are timed
alone and with the searches, another one first in each round; figures are medians of the rounds, ratios medians of
the ratios of each. What the service connected is compared with an exact scan after each of its turns, and the worst is told.
On two cores the searches, the discovery and the services' own work do not fit side by side: their p99 grows under raw-best, too.`,
    },
    profile: {
      title: 'Where the time goes',
      text: `Processor time of the service for one request, by the package whose code ran, sampled by V8 while sixteen callers ask; what
takes less than 2 % is left out. *Node.js* is its own code with HTTP, sockets and what V8 does natively, such as JSON.`,
    },
    soak: {
      title: 'Soak',
      text: `Eight callers without a pause on a service with its worker: searches of each kind, fetches, pages, walks, and every
fourth time a create, a change, or a create that is archived and removed. Each request is timed by itself, those that fail are
only counted. Discovery and maintenance run meanwhile. The service is started with the options of \`npm start\`, which save
memory ([operations](operations.md#processes)).
The highest under sixteen callers is in the table of [scale](scale.md).`,
    },
  },
  limits: `## What the figures do not say

The bench, the endpoint, the service and Neo4j share the cores of one machine: with 16 callers the ratio of throughputs is
that of the processor time that all of them need together. With one caller the processes sleep between two requests: a fetch
through the service wakes twice as many of them as one of raw-best, and what a waking costs differs from machine to machine,
virtual ones above all. A provider across a network adds its own time to whatever needs a vector.`,
} as const

/** What the page about scale says around its table. */
export const scaleProse = {
  head: `# Scale

How far one machine goes, and what to do past it. The table is written by \`npm run bench\` from its results; the rest is
what follows from how the service is built.

## One machine

The service with one Neo4j, an embedding endpoint and the bench on the machine named below; the corpus is that of
[performance](performance.md): 384 dimensions, four connections a memory, three tenants with 1 %, 10 % and 89 %. Searches and
pages read the largest tenant. Data and indexes fit into the memory of the machine.`,
  plan: `The times are those of a process that has just begun, after two seconds of calls to warm it (with a million memories: after a fifth as
many calls); [performance](performance.md) compares longer ones with Neo4j itself. Pages and fetches cost the same at every size, walks and searches cost more, the more memories there are.
An index that is made anew is left in other parts than one that grew by commits: the last row shows what that does to a search
(with a warmer process). Neo4j writes its files at checkpoints: what is younger stands in the transaction logs alone, which is most of
the disk where few memories were just loaded.

With a million memories, four million connections, 4 GiB of heap and 5 GiB of page cache fetches and pages are about as quick as
with few. Searches by meaning take half to two thirds longer than among a tenth, as a search looks at 635 candidates there
([recall](performance.md#recall)), and creates with sixteen callers nearly twice as long. A search by words reads what Lucene knows of a word
in all tenants' memories, and takes a sixth to a third longer than among a tenth. For tenants of that size larger servers come first, and for
many tenants several (below). Making the vector index anew took more than a quarter of an hour on one core and was not waited for.

A database server's page cache should hold the data, and beside heap and page cache the
machine needs room for Lucene's files (vectors and full text), which the operating system caches. Four bytes for each dimension
of each memory are stored twice, in the store and in the index.

## Past one machine

| what is short | how it shows | what to do |
|---|---|---|
| processor of the service | one core busy with the service while Neo4j idles | more processes with \`SERVICE_ROLE=api\` behind a load balancer. They share nothing but the database: no sessions, no sticky routing. Each has its own rate limits, remembered query vectors and cached keys (a revoked key may live 5 s in another process). Two on the two cores of this machine are measured above: there is no core left for the second, and both together answer hardly more than one alone, or less |
| the queue grows | \`GET /stats\`, \`oldest_age_seconds\` | more processes with \`SERVICE_ROLE=worker\`. Discovery has one statement under way in a process (reading, searching and connecting take turns), and one that stores vectors, which bounds what it takes from callers; each worker adds as many. The limits of the provider bound new vectors |
| processor of the database, reads | searches slow with idle services | a bigger server first: searches use all its cores. Then a cluster (Enterprise, Aura): \`NEO4J_URI=neo4j://…\` sends what only reads to servers that hold a copy. Such a read may lag behind a write just made, also one's own, and discovery may then miss a memory that was written in the same moment (\`POST /admin/rediscovery\` finds it later). Not tried here |
| writes | creates wait for each other; many callers | nothing to set: commits are shared, so that throughput grows with the number of waiting callers. All writes go to one server; past that, tenants must be spread |
| memory of the database | page cache misses, slow first searches | a bigger server; fewer dimensions (a model that shortens its vectors); or spread tenants |
| one tenant asks very much | its own requests wait, those of others [hardly](performance.md#neighbours) | nothing to set: tenants have shares of the database and take turns, in each process. A tenant that is to get more needs a larger \`SERVICE_TENANT_CONCURRENCY\`, which holds for all, or processes of its own |
| one tenant is too large | its searches slow, the others' do not | vectors of all tenants share one index, in which each search sees its own tenant's only. A tenant cannot be divided: it needs a server that holds it |
| too many tenants for one server | all of the above | spread them: a deployment (database and services) for each group of tenants, and a router before them that knows by the tenant or its key where to go. \`mnemograph export\` and \`import\` move a tenant with ids, vectors and connections; the service itself knows one database |

Aura: the queries need no procedures but those that come with Neo4j, so every tier with vector indexes of version 2026.02 or
later will do; size it as above by memory (data, both copies of the vectors, full text). \`mnemograph doctor\` says what it can
see there. It was not run on Aura.

What ends last is the single writer: one Neo4j commits what all services write. By the figures of
[performance](performance.md#writes) that is a matter of tens of thousands of memories in a minute on two cores, long before which the
embedding provider is the limit.`,
} as const
