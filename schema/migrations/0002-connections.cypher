// At most one connection of a type from one memory to another: the key consists of the tenant and their ids.
CREATE CONSTRAINT related_to_key IF NOT EXISTS FOR ()-[r:RELATED_TO]-() REQUIRE r.key IS UNIQUE;
CREATE CONSTRAINT caused_by_key IF NOT EXISTS FOR ()-[r:CAUSED_BY]-() REQUIRE r.key IS UNIQUE;
CREATE CONSTRAINT part_of_key IF NOT EXISTS FOR ()-[r:PART_OF]-() REQUIRE r.key IS UNIQUE;
CREATE CONSTRAINT references_key IF NOT EXISTS FOR ()-[r:REFERENCES]-() REQUIRE r.key IS UNIQUE;
CREATE CONSTRAINT contradicts_key IF NOT EXISTS FOR ()-[r:CONTRADICTS]-() REQUIRE r.key IS UNIQUE;
CREATE CONSTRAINT supports_key IF NOT EXISTS FOR ()-[r:SUPPORTS]-() REQUIRE r.key IS UNIQUE;
CREATE CONSTRAINT similar_to_key IF NOT EXISTS FOR ()-[r:SIMILAR_TO]-() REQUIRE r.key IS UNIQUE;
CREATE CONSTRAINT derived_from_key IF NOT EXISTS FOR ()-[r:DERIVED_FROM]-() REQUIRE r.key IS UNIQUE;

// Newest first, by type.
CREATE INDEX related_to_by_created IF NOT EXISTS FOR ()-[r:RELATED_TO]-() ON (r.tenant, r.createdAt, r.key);
CREATE INDEX caused_by_by_created IF NOT EXISTS FOR ()-[r:CAUSED_BY]-() ON (r.tenant, r.createdAt, r.key);
CREATE INDEX part_of_by_created IF NOT EXISTS FOR ()-[r:PART_OF]-() ON (r.tenant, r.createdAt, r.key);
CREATE INDEX references_by_created IF NOT EXISTS FOR ()-[r:REFERENCES]-() ON (r.tenant, r.createdAt, r.key);
CREATE INDEX contradicts_by_created IF NOT EXISTS FOR ()-[r:CONTRADICTS]-() ON (r.tenant, r.createdAt, r.key);
CREATE INDEX supports_by_created IF NOT EXISTS FOR ()-[r:SUPPORTS]-() ON (r.tenant, r.createdAt, r.key);
CREATE INDEX similar_to_by_created IF NOT EXISTS FOR ()-[r:SIMILAR_TO]-() ON (r.tenant, r.createdAt, r.key);
CREATE INDEX derived_from_by_created IF NOT EXISTS FOR ()-[r:DERIVED_FROM]-() ON (r.tenant, r.createdAt, r.key);

// What a pair of memories of a tenant needs to be connected, in an embedding space.
CREATE CONSTRAINT discovery_rule_tenant IF NOT EXISTS FOR (d:DiscoveryRule) REQUIRE (d.tenant, d.space) IS UNIQUE;
