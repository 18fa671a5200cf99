// Policies of tenants.
CREATE CONSTRAINT policy_id IF NOT EXISTS FOR (p:Policy) REQUIRE p.id IS UNIQUE;
CREATE INDEX policy_by_tenant IF NOT EXISTS FOR (p:Policy) ON (p.tenant);

// Plans and runs of maintenance, with their changes.
CREATE CONSTRAINT maintenance_run_id IF NOT EXISTS FOR (r:MaintenanceRun) REQUIRE r.id IS UNIQUE;
CREATE INDEX maintenance_run_by_age IF NOT EXISTS FOR (r:MaintenanceRun) ON (r.tenant, r.createdAt, r.id);
CREATE CONSTRAINT run_change IF NOT EXISTS FOR (c:RunChange) REQUIRE (c.runId, c.number) IS UNIQUE;
// By the memories that they tell of: what is erased is taken out of them.
CREATE INDEX run_change_by_memory IF NOT EXISTS FOR (c:RunChange) ON (c.tenant, c.memoryId);
CREATE INDEX run_mention IF NOT EXISTS FOR (m:RunMention) ON (m.tenant, m.memoryId);

// Receipts of erasures, those that are running, and what they have removed so far.
CREATE CONSTRAINT erasure_id IF NOT EXISTS FOR (e:Erasure) REQUIRE e.id IS UNIQUE;
CREATE INDEX erasure_by_state IF NOT EXISTS FOR (e:Erasure) ON (e.tenant, e.state);
CREATE INDEX erased_memories IF NOT EXISTS FOR (x:ErasedMemories) ON (x.erasure);
// Tenants in which nothing can be written, as they are being erased or were removed.
CREATE CONSTRAINT closed_tenant IF NOT EXISTS FOR (c:ClosedTenant) REQUIRE c.tenant IS UNIQUE;

// Memories that maintenance removed, kept for as long as the run can be undone. Another tenant may use the id meanwhile,
// and remove it too.
CREATE CONSTRAINT removed_memory_in_tenant IF NOT EXISTS FOR (m:RemovedMemory) REQUIRE (m.tenant, m.id) IS UNIQUE;
CREATE INDEX removed_memory_by_age IF NOT EXISTS FOR (m:RemovedMemory) ON (m.tenant, m.removedAt);
