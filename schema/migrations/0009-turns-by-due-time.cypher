// Jobs are taken in the order in which they became due: one that is tried again does not stand before what waits longer.
DROP INDEX job_by_turn IF EXISTS;
CREATE INDEX job_in_turn IF NOT EXISTS FOR (j:Job) ON (j.state, j.tenant, j.runAt);
