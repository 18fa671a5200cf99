// The reach of each memory within two connections
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active'
RETURN left(m.content, 60) AS begins,
  COUNT { MATCH (m)-[:RELATED_TO|SUPPORTS|CAUSED_BY|CONTRADICTS]-{1,2}(other:Memory) WHERE other <> m RETURN DISTINCT other } AS reach
ORDER BY reach DESC LIMIT 10
