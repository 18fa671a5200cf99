// Connections by type and origin, with their strengths
MATCH (a:Memory)-[r]->(:Memory) WHERE a.tenant = $tenant AND r.tenant = $tenant
RETURN type(r) AS type, r.origin AS origin, count(*) AS connections, avg(r.strength) AS meanStrength,
  percentileCont(r.strength, 0.5) AS medianStrength
ORDER BY connections DESC
