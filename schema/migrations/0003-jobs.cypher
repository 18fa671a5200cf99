// One job for each kind, memory and revision.
CREATE CONSTRAINT job_id IF NOT EXISTS FOR (j:Job) REQUIRE j.id IS UNIQUE;

// Jobs run in the order in which they become due: a job that is retried does not pass one that has waited longer.
CREATE INDEX job_in_turn IF NOT EXISTS FOR (j:Job) ON (j.state, j.tenant, j.runAt);
CREATE INDEX job_by_due IF NOT EXISTS FOR (j:Job) ON (j.state, j.runAt);
CREATE INDEX job_by_lease IF NOT EXISTS FOR (j:Job) ON (j.state, j.leaseUntil);
CREATE INDEX job_by_memory IF NOT EXISTS FOR (j:Job) ON (j.tenant, j.memoryId);
CREATE INDEX job_by_tenant IF NOT EXISTS FOR (j:Job) ON (j.tenant, j.state, j.createdAt, j.id);
