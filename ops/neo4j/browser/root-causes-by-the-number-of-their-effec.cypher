// Root causes, by the number of their effects
MATCH (cause:Memory)<-[:CAUSED_BY]-(:Memory)
WHERE cause.tenant = $tenant AND NOT EXISTS { (cause)-[:CAUSED_BY]->(:Memory) }
WITH DISTINCT cause
MATCH (cause)<-[:CAUSED_BY]-{1,4}(effect:Memory) WHERE effect.tenant = $tenant
RETURN left(cause.content, 60) AS cause, count(DISTINCT effect) AS effects ORDER BY effects DESC LIMIT 20
