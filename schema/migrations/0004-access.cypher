// Keys of tenants, by their public part; only hashes are stored.
CREATE CONSTRAINT api_key_id IF NOT EXISTS FOR (k:ApiKey) REQUIRE k.id IS UNIQUE;
CREATE INDEX api_key_by_tenant IF NOT EXISTS FOR (k:ApiKey) ON (k.tenant);

// Requests with an Idempotency-Key, and their responses.
CREATE CONSTRAINT idempotency_id IF NOT EXISTS FOR (i:IdempotentRequest) REQUIRE i.id IS UNIQUE;
CREATE INDEX idempotency_by_age IF NOT EXISTS FOR (i:IdempotentRequest) ON (i.createdAt);
