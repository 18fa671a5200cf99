// Memories that expire within a week
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active'
  AND m.expiresAt < datetime.realtime() + duration({days: 7})
RETURN m.id AS id, m.expiresAt AS expiresAt, left(m.content, 60) AS begins ORDER BY expiresAt LIMIT 50
