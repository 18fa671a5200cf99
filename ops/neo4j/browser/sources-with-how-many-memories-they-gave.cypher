// Sources, with how many memories they gave and how important these are
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active'
RETURN coalesce(m.source, '(none)') AS source, count(*) AS memories, avg(m.importance) AS importance
ORDER BY memories DESC LIMIT 20
