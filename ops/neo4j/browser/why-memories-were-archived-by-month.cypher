// Why memories were archived, by month
MATCH (m:Memory) WHERE m.tenant = $tenant
RETURN date.truncate('month', coalesce(m.archivedAt, m.createdAt)) AS month, coalesce(m.archivedReason, 'active') AS reason,
  count(*) AS memories
ORDER BY month DESC, memories DESC LIMIT 24
