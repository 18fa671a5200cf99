// What has not got its number yet, oldest first; the number is given when somebody reads.
CREATE INDEX change_unnumbered IF NOT EXISTS FOR (c:Change) ON (c.unnumbered, c.at);

// The feed of a tenant in its order, and what became of one memory.
CREATE INDEX change_by_number IF NOT EXISTS FOR (c:Change) ON (c.tenant, c.number);
CREATE INDEX change_by_memory IF NOT EXISTS FOR (c:Change) ON (c.tenant, c.memoryId, c.number);
CREATE INDEX change_by_target IF NOT EXISTS FOR (c:Change) ON (c.tenant, c.targetId, c.number);

// How far each tenant's feed is numbered, and forgotten.
CREATE CONSTRAINT feed_tenant IF NOT EXISTS FOR (f:Feed) REQUIRE f.tenant IS UNIQUE;
