// Memories by state and policy
MATCH (m:Memory) WHERE m.tenant = $tenant
RETURN m.state AS state, m.policy AS policy, count(*) AS memories
ORDER BY state, memories DESC
