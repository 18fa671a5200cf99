// New memories each week
MATCH (m:Memory) WHERE m.tenant = $tenant
RETURN date.truncate('week', m.createdAt) AS week, count(*) AS memories,
  count(CASE WHEN m.state = 'archived' THEN 1 END) AS archivedSince
ORDER BY week DESC LIMIT 52
