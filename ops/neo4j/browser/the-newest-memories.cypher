// The newest memories
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active'
  AND m.createdAt >= datetime({epochMillis: 0}) AND m.id IS NOT NULL
RETURN m.id AS id, m.createdAt AS createdAt, left(m.content, 60) AS begins
ORDER BY m.tenant DESC, m.state DESC, m.createdAt DESC LIMIT 20
