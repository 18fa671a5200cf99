// Pairs of memories that may contradict each other, until somebody has reviewed them.
CREATE CONSTRAINT may_contradict_pair IF NOT EXISTS FOR ()-[r:MAY_CONTRADICT]-() REQUIRE r.pair IS UNIQUE;
CREATE INDEX may_contradict_by_created IF NOT EXISTS FOR ()-[r:MAY_CONTRADICT]-() ON (r.ofTenant, r.status, r.createdAt, r.pair);
