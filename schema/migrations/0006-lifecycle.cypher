// Policies of tenants.
CREATE CONSTRAINT policy_id IF NOT EXISTS FOR (p:Policy) REQUIRE p.id IS UNIQUE;
CREATE INDEX policy_by_tenant IF NOT EXISTS FOR (p:Policy) ON (p.tenant);

// Plans and runs of maintenance, with their changes.
CREATE CONSTRAINT maintenance_run_id IF NOT EXISTS FOR (r:MaintenanceRun) REQUIRE r.id IS UNIQUE;
CREATE INDEX maintenance_run_by_age IF NOT EXISTS FOR (r:MaintenanceRun) ON (r.tenant, r.createdAt, r.id);
CREATE INDEX maintenance_changes_by_run IF NOT EXISTS FOR (c:MaintenanceChanges) ON (c.runId);

// Receipts of erasures.
CREATE CONSTRAINT erasure_id IF NOT EXISTS FOR (e:Erasure) REQUIRE e.id IS UNIQUE;

// Memories that maintenance removed, kept for as long as the run can be undone. Another tenant may use the id meanwhile,
// and remove it too.
CREATE CONSTRAINT removed_memory_in_tenant IF NOT EXISTS FOR (m:RemovedMemory) REQUIRE (m.tenant, m.id) IS UNIQUE;
CREATE INDEX removed_memory_by_age IF NOT EXISTS FOR (m:RemovedMemory) ON (m.tenant, m.removedAt);
