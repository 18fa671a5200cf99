// Most recalled memories, with their last recall
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.recallCount > 0
RETURN left(m.content, 60) AS begins, m.recallCount AS recalls, m.lastRecalledAt AS last
ORDER BY recalls DESC, last DESC LIMIT 20
