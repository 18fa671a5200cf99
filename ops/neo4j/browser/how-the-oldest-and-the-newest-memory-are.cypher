// How the oldest and the newest memory are connected
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active' AND EXISTS { (m)--(:Memory) }
WITH m AS oldest ORDER BY m.createdAt LIMIT 1
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active' AND EXISTS { (m)--(:Memory) } AND m <> oldest
WITH oldest, m AS newest ORDER BY m.createdAt DESC LIMIT 1
MATCH path = SHORTEST 3 (oldest)(()-[r]-(n:Memory WHERE n.tenant = $tenant)){1,6}(newest)
RETURN [n IN nodes(path) | left(n.content, 30)] AS way, [r IN relationships(path) | type(r)] AS types
