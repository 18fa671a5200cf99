// Recalls a day
MATCH (r:Recall) WHERE r.tenant = $tenant AND r.at >= datetime.realtime() - duration({days: 30})
RETURN date(r.at) AS day, count(*) AS recalls ORDER BY day
