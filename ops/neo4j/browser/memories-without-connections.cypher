// Memories without connections
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active' AND NOT EXISTS { (m)--(:Memory) }
RETURN m.id AS id, left(m.content, 60) AS begins LIMIT 20
