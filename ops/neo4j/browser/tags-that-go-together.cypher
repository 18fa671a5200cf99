// Tags that go together
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active' AND size(m.tags) > 1
UNWIND m.tags AS one UNWIND m.tags AS other
WITH one, other WHERE one < other
RETURN one, other, count(*) AS memories ORDER BY memories DESC LIMIT 20
