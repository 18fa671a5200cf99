// Queued work: one job for each kind, memory and revision.
CREATE CONSTRAINT job_id IF NOT EXISTS FOR (j:Job) REQUIRE j.id IS UNIQUE;
CREATE INDEX job_by_turn IF NOT EXISTS FOR (j:Job) ON (j.state, j.tenant, j.createdAt);
CREATE INDEX job_by_due IF NOT EXISTS FOR (j:Job) ON (j.state, j.runAt);
CREATE INDEX job_by_lease IF NOT EXISTS FOR (j:Job) ON (j.state, j.leaseUntil);
CREATE INDEX job_by_memory IF NOT EXISTS FOR (j:Job) ON (j.memoryId);
CREATE INDEX job_by_tenant IF NOT EXISTS FOR (j:Job) ON (j.tenant, j.createdAt, j.id);

// Recalls of memories, appended.
CREATE CONSTRAINT recall_id IF NOT EXISTS FOR (r:Recall) REQUIRE r.id IS UNIQUE;
CREATE INDEX recall_by_memory IF NOT EXISTS FOR (r:Recall) ON (r.memoryId);
CREATE INDEX recall_by_tenant IF NOT EXISTS FOR (r:Recall) ON (r.tenant, r.at);

// Keys of tenants, by their public part; only hashes are stored.
CREATE CONSTRAINT api_key_id IF NOT EXISTS FOR (k:ApiKey) REQUIRE k.id IS UNIQUE;
CREATE INDEX api_key_by_tenant IF NOT EXISTS FOR (k:ApiKey) ON (k.tenant);

// Requests that carried an Idempotency-Key, with their answers.
CREATE CONSTRAINT idempotency_id IF NOT EXISTS FOR (i:IdempotentRequest) REQUIRE i.id IS UNIQUE;
CREATE INDEX idempotency_by_age IF NOT EXISTS FOR (i:IdempotentRequest) ON (i.createdAt);

// Embedding spaces, and what the service keeps for itself.
CREATE CONSTRAINT space_id IF NOT EXISTS FOR (s:EmbeddingSpace) REQUIRE s.id IS UNIQUE;
CREATE CONSTRAINT setting_name IF NOT EXISTS FOR (s:Setting) REQUIRE s.name IS UNIQUE;
