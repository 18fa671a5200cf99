// The memories of a community, the most central last.
CREATE INDEX memory_by_community IF NOT EXISTS FOR (m:Memory) ON (m.tenant, m.community, m.rank, m.id);

// What the last analysis of a tenant's graph has found out.
CREATE CONSTRAINT graph_analysis_tenant IF NOT EXISTS FOR (g:GraphAnalysis) REQUIRE g.tenant IS UNIQUE;
