/** The words of docs/reports/reliability.md; its figures come from the results. */
export const prose = {
  head: `# Reliability

In these runs no acknowledged write was lost, no job was leased twice, and no discovered connection was missing. The service was killed 100 times, Neo4j 20
times, and 200 responses were lost after their commit. Each section ends with the number of faults that the checker found.

## How it is tested

\`npm run chaos -- --tier full\` runs the tests and writes this page. The faults and the load follow from a seed. The test kills, stops and starts the service and Neo4j,
and records the outcome of every operation: acknowledged, refused or unknown. After the load has ended and the queue is empty, a checker compares this history with the graph:

- Every acknowledged write exists with the acknowledged content. No refused write exists. A write without a response exists completely or not at all, and at most once.
- Every active memory has the vector of its current content and the mark of its discovery. The queue is empty and no job failed.
- An exact scan over all pairs of a tenant finds a discovered connection from the newer to the older memory for each pair at or above the threshold, and none below. Pairs within 0.000004 of it may be either.
- No connection exists twice, none crosses tenants, and nothing remains of a removed memory.
- The audit log names each removal and each new key once, and none that did not happen. Its digests fit.
- No job was leased twice, and no write of a worker without its lease was accepted.
- Every search returned results of one model with distances of that model's space.

A run also fails if its fault never happened. \`npm test\` includes a small version of three scenarios: kills of the service, lost responses and leases.`,
  scenarios: {
    service: {
      title: 'The service is killed',
      text: `Six clients of two tenants send requests. The test kills the whole service with \`kill -9\`, at random moments and four or five times at each of 15 points: before a create, change, removal, lease,
vector or connection is sent or committed, and after its commit but before its response.`,
    },
    neo4j: {
      title: 'Neo4j is killed',
      text: `Six clients send requests. The test kills Neo4j with \`kill -9\` and starts it on the same data. The service keeps running and recovers on its own.`,
    },
    commit: {
      title: 'Responses are lost after the commit',
      text: `The test closes the connection after Neo4j has committed and before the service learns of it, at 12 points of all kinds of write, including those of the worker.`,
    },
    claims: {
      title: 'Leases, and workers that return late',
      text: `Workers in several processes empty one queue. Then the test stops workers with a job (SIGSTOP) until their lease has expired and others have taken the jobs, and continues them. Each
tries every write that a worker can make.`,
    },
    spaces: {
      title: 'The embedding model changes under load',
      text: `Two replicas, one with the old settings and one with the new, receive searches and writes. The test kills the worker that fills the new space and starts it again. Then it switches to the new
space and back. The scan of the connections covers what was written before the switch, because the active model connects what is written later.`,
    },
    stall: {
      title: 'Neo4j stalls, and workers end',
      text: `The test stops Neo4j (SIGSTOP) for longer than the time limit of a request (5 s here) and continues it. It also kills or stops a worker with work while another waits. A run fails if a
503 takes longer than the time limit plus one second, if the service takes longer than 5 s to recover, or if work is resumed later than 20 s after a kill or 1 s after a stop.`,
    },
    cluster: {
      title: 'A cluster whose members lag, and another leader',
      text: `Neo4j Community cannot form a cluster, so the test makes one of two databases: it serves the driver a routing table, copies what the leader has to the follower after a delay, and lets the
follower wait for bookmarks as Neo4j does. One process changes a memory, and another reads it at once, without the bookmark of the change and with it. Then four clients write while the leader changes: every
connection breaks, and the follower with its copy leads. A run fails if a read with a bookmark is stale, if a process does not see its own write, or if no read without a bookmark is stale.`,
    },
  } as Record<string, { title: string; text: string }>,
  limits: `## Limitations

- \`kill -9\` does not simulate a loss of power: the operating system still writes what the process handed to it. Neo4j asks the disk to store a transaction before it acknowledges it. The rest depends on the disk.
- Several machines, the networks between them, and clocks that differ were not tested.
- The embedding provider is one made for the tests.
- The times are those of the one machine named above, which may have had other work.
`,
}
