// Origins of contradictions, up to three connections away
MATCH (a:Memory)-[:CONTRADICTS]->(b:Memory) WHERE a.tenant = $tenant
MATCH path = (a)-[:CAUSED_BY|DERIVED_FROM|SUPPORTS]->{1,3}(origin:Memory)
RETURN left(a.content, 40) AS statement, left(b.content, 40) AS contradicted, [n IN nodes(path) | n.id] AS way
LIMIT 20
