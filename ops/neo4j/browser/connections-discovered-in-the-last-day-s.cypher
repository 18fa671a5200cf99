// Connections discovered in the last day, strongest first
MATCH (a:Memory)-[r:RELATED_TO]->(b:Memory)
WHERE r.tenant = $tenant AND r.createdAt >= datetime.realtime() - duration({days: 1}) AND r.origin = 'discovered'
RETURN left(a.content, 40) AS newer, left(b.content, 40) AS older, r.strength AS strength
ORDER BY strength DESC LIMIT 20
