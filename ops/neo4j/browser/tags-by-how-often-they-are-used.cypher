// Tags by how often they are used
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active'
UNWIND m.tags AS tag
RETURN tag, count(*) AS memories ORDER BY memories DESC LIMIT 20
