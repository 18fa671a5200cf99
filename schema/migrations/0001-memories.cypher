// An id is unique within its tenant: two tenants may have the same one, after an import.
CREATE CONSTRAINT memory_id IF NOT EXISTS FOR (m:Memory) REQUIRE (m.tenant, m.id) IS UNIQUE;

// One index for each ordering of a list: a page costs the same at any depth.
CREATE INDEX memory_by_created IF NOT EXISTS FOR (m:Memory) ON (m.tenant, m.state, m.createdAt, m.id);
CREATE INDEX memory_by_updated IF NOT EXISTS FOR (m:Memory) ON (m.tenant, m.state, m.updatedAt, m.id);
CREATE INDEX memory_by_importance IF NOT EXISTS FOR (m:Memory) ON (m.tenant, m.state, m.importance, m.id);
CREATE INDEX memory_by_health IF NOT EXISTS FOR (m:Memory) ON (m.tenant, m.state, m.health, m.id);
CREATE INDEX memory_by_recall IF NOT EXISTS FOR (m:Memory) ON (m.tenant, m.state, m.recallOrder, m.id);

// The tenant alone, for counts and for the rule of the GraphQL schema.
CREATE INDEX memory_by_tenant IF NOT EXISTS FOR (m:Memory) ON (m.tenant);

// Whether a policy is in use, and how many memories have it.
CREATE INDEX memory_by_policy IF NOT EXISTS FOR (m:Memory) ON (m.tenant, m.policy);

// The memories of a session in their order.
CREATE INDEX memory_by_session IF NOT EXISTS FOR (m:Memory) ON (m.tenant, m.sessionId, m.createdAt, m.id);

// The memories that say the same, and the lock of those who ask whether one exists.
CREATE INDEX memory_by_digest IF NOT EXISTS FOR (m:Memory) ON (m.tenant, m.textDigest);
CREATE CONSTRAINT text_lock_key IF NOT EXISTS FOR (l:TextLock) REQUIRE l.key IS UNIQUE;

// Words as the service cuts them, and inside the index what filters: tenant and state (scope), policy, tags, source, session, kind and metadata.
CREATE FULLTEXT INDEX memory_text IF NOT EXISTS FOR (m:Memory)
ON EACH [m.words, m.scope, m.policyKey, m.tagKeys, m.sourceKey, m.sessionKey, m.kindKey, m.metadataKeys]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};

// Earlier versions of memories: no two versions of a memory have one number.
CREATE CONSTRAINT version_number IF NOT EXISTS FOR (v:Version) REQUIRE (v.tenant, v.memoryId, v.version) IS UNIQUE;

// Recalls of memories, appended.
CREATE CONSTRAINT recall_id IF NOT EXISTS FOR (r:Recall) REQUIRE r.id IS UNIQUE;
CREATE INDEX recall_by_memory IF NOT EXISTS FOR (r:Recall) ON (r.tenant, r.memoryId);
CREATE INDEX recall_by_tenant IF NOT EXISTS FOR (r:Recall) ON (r.tenant, r.at);
