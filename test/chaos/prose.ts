/** The words of docs/reliability.md; its figures come from the results. */
export const prose = {
  head: `# What was seen to hold when things go wrong

This page is written by \`npm run chaos -- --tier full\` from what it measured; nothing in it is typed by hand. A run
takes a seed, and the faults and the load follow from it, but for the pace of the machine. Service and Neo4j are child
processes that are killed, stopped and started. The parent writes every operation to a history, with its beginning, its end and
how it ended for the caller: acknowledged, refused, or unknown. When the load has ended and the queue is empty, a program
of its own judges by that history and the graph alone. It tests that

- every acknowledged write is there, with the content acknowledged, and every refused one is not; one that went
  unanswered is there whole or not at all, and once at most;
- every active memory has the vector of the content that it has now and the mark of its discovery; the queue is empty,
  and no work was given up as failed;
- an exact scan over all pairs of a tenant finds a discovered connection, from the newer memory to the older, for each
  pair at or above the threshold and for none below; pairs within 0.000001 of it count as either. The vectors are made so
  that many pairs lie close to the threshold;
- no connection is there twice, none crosses tenants, and nothing is left of a memory that was removed;
- no job was claimed twice, and no write of a worker that had lost its lease was taken;
- every search was answered, by one model, with distances of that model's own space.

A run whose fault never happened, or that never came to one of the moments it chose, fails as well. A small tier of
three of them (the service is killed at four of the named points and at random, answers to commits are lost, claims) is
part of \`npm test\`.`,
  scenarios: {
    service: {
      title: 'The service is killed',
      text: `\`kill -9\` of the whole service under the load of six clients of two tenants, again and again: at named points, which a
proxy on the line to Neo4j recognises by the statements that pass, and at random moments.`,
    },
    neo4j: {
      title: 'Neo4j is killed',
      text: `\`kill -9\` of Neo4j under the load of six clients, and a start on the same data. The service stays up and goes on by
itself.`,
    },
    commit: {
      title: 'Answers are lost after the commit',
      text: `The line is cut when Neo4j has committed and before the service hears of it, for one kind of write after another,
those of the worker included.`,
    },
    claims: {
      title: 'Claims, and workers that come back late',
      text: `Claimers in several processes empty one queue. Then workers are stopped (SIGSTOP) with a job in hand until their lease is
over and others have taken the jobs, and continued: each tries every write that a worker may make.`,
    },
    spaces: {
      title: 'The embedding model is changed under load',
      text: `Two replicas, one with the old settings and one with the new, are searched and written to again and again. The worker
that fills the new space is killed on the way and started again; then the new space is switched to, and back. The scan of the connections is over
what was written before the switch: what is written later is connected by the model that is active then.`,
    },
    stall: {
      title: 'Neo4j stalls, and workers end',
      text: `SIGSTOP of Neo4j for longer than the time for a request (5 s here), then SIGCONT. And a worker with work in hand is
killed, or stopped in good order, while another waits. A run fails when a 503 takes longer than the deadline and a
second, service takes longer than 5 s to come back, or work is taken up later than 20 s after a kill or 1 s after a
stop.`,
    },
  } as Record<string, { title: string; text: string }>,
  limits: `## What this does not show

\`kill -9\` leaves what the process has written in the memory of the operating system: it does not show what a loss of
power does. Neo4j asks the disk to keep a transaction before it acknowledges it; that this holds is Neo4j's promise and the
disk's. Several machines, networks between them and clocks that differ were not tried. The embedding provider here is one
of the tests; the times are those of the one machine named above, where other work may have been going on.
`,
}
