// Sources, with the number and the mean importance of their memories
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active'
RETURN coalesce(m.source, '(none)') AS source, count(*) AS memories, avg(m.importance) AS importance
ORDER BY memories DESC LIMIT 20
