// Changes without a number, oldest first. A change gets its number when the feed is read.
CREATE INDEX change_unnumbered IF NOT EXISTS FOR (c:Change) ON (c.unnumbered, c.at);

// The feed of a tenant in order, and the changes of one memory.
CREATE INDEX change_by_number IF NOT EXISTS FOR (c:Change) ON (c.tenant, c.number);
CREATE INDEX change_by_memory IF NOT EXISTS FOR (c:Change) ON (c.tenant, c.memoryId, c.number);
CREATE INDEX change_by_target IF NOT EXISTS FOR (c:Change) ON (c.tenant, c.targetId, c.number);

// How far the feed of each tenant is numbered, and deleted.
CREATE CONSTRAINT feed_tenant IF NOT EXISTS FOR (f:Feed) REQUIRE f.tenant IS UNIQUE;
