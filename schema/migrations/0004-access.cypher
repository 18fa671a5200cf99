// Keys of tenants, by their public part; only hashes are stored.
CREATE CONSTRAINT api_key_id IF NOT EXISTS FOR (k:ApiKey) REQUIRE k.id IS UNIQUE;
CREATE INDEX api_key_by_tenant IF NOT EXISTS FOR (k:ApiKey) ON (k.tenant);

// Who did what, in the order of each tenant's log.
CREATE CONSTRAINT audit_log_tenant IF NOT EXISTS FOR (l:AuditLog) REQUIRE l.tenant IS UNIQUE;
CREATE CONSTRAINT audit_entry_id IF NOT EXISTS FOR (a:AuditEntry) REQUIRE (a.tenant, a.id) IS UNIQUE;
CREATE INDEX audit_entry_by_number IF NOT EXISTS FOR (a:AuditEntry) ON (a.tenant, a.number);

// Requests with an Idempotency-Key, and their responses.
CREATE CONSTRAINT idempotency_id IF NOT EXISTS FOR (i:IdempotentRequest) REQUIRE i.id IS UNIQUE;
CREATE INDEX idempotency_by_age IF NOT EXISTS FOR (i:IdempotentRequest) ON (i.createdAt);
// The memories that a stored response tells of.
CREATE INDEX answered_memory IF NOT EXISTS FOR (a:AnsweredMemory) ON (a.tenant, a.memoryId);
