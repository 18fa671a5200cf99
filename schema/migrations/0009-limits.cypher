// How many requests each process has counted for a client that is near its limit, for the other processes.
CREATE CONSTRAINT request_count_id IF NOT EXISTS FOR (r:RequestCount) REQUIRE r.id IS UNIQUE;
CREATE INDEX request_count_by_client IF NOT EXISTS FOR (r:RequestCount) ON (r.client);
CREATE INDEX request_count_by_end IF NOT EXISTS FOR (r:RequestCount) ON (r.until);

// How much a tenant may store.
CREATE CONSTRAINT quota_tenant IF NOT EXISTS FOR (q:Quota) REQUIRE q.tenant IS UNIQUE;
