// Connections as they were before they changed or were removed, from either end.
CREATE INDEX earlier_connection_from IF NOT EXISTS FOR (c:EarlierConnection) ON (c.tenant, c.sourceId, c.until);
CREATE INDEX earlier_connection_to IF NOT EXISTS FOR (c:EarlierConnection) ON (c.tenant, c.targetId, c.until);
