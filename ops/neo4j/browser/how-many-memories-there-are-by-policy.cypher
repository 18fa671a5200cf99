// How many memories there are, by policy
MATCH (m:Memory) WHERE m.tenant = $tenant
RETURN m.state AS state, m.policy AS policy, count(*) AS memories
ORDER BY state, memories DESC
