// Common neighbours of two memories that are not connected
MATCH (a:Memory)-[r:RELATED_TO|SUPPORTS|CONTRADICTS|CAUSED_BY]-(between:Memory)-[s:RELATED_TO|SUPPORTS|CONTRADICTS|CAUSED_BY]-(b:Memory)
WHERE a.tenant = $tenant AND a.id < b.id AND NOT EXISTS { (a)--(b) }
RETURN left(a.content, 40) AS one, left(b.content, 40) AS other, collect(DISTINCT left(between.content, 40)) AS between
LIMIT 20
