// Possible duplicates
MATCH (a:Memory)-[r:RELATED_TO]->(b:Memory)
WHERE a.tenant = $tenant AND r.origin = 'discovered' AND r.strength >= 0.95 AND a.state = 'active' AND b.state = 'active'
RETURN a.id AS newer, b.id AS older, r.strength AS strength, left(a.content, 40) AS begins
ORDER BY strength DESC LIMIT 20
