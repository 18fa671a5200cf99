// How much a tenant may store.
CREATE CONSTRAINT quota_tenant IF NOT EXISTS FOR (q:Quota) REQUIRE q.tenant IS UNIQUE;
