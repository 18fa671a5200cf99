// The most connected memories
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active'
RETURN m.id AS id, left(m.content, 60) AS begins, COUNT { (m)--(:Memory) } AS connections
ORDER BY connections DESC LIMIT 10
