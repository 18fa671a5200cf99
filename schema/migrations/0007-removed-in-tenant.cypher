// An id that one tenant has removed may be given in another, and be removed there too.
DROP CONSTRAINT removed_memory_id IF EXISTS;
CREATE CONSTRAINT removed_memory_in_tenant IF NOT EXISTS FOR (m:RemovedMemory) REQUIRE (m.tenant, m.id) IS UNIQUE;
