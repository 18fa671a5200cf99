// Webhooks of tenants.
CREATE CONSTRAINT webhook_id IF NOT EXISTS FOR (w:Webhook) REQUIRE w.id IS UNIQUE;
CREATE INDEX webhook_by_tenant IF NOT EXISTS FOR (w:Webhook) ON (w.tenant);

// Their deliveries in the order of the changes, and those that wait.
CREATE CONSTRAINT delivery_id IF NOT EXISTS FOR (d:Delivery) REQUIRE d.id IS UNIQUE;
CREATE INDEX delivery_by_number IF NOT EXISTS FOR (d:Delivery) ON (d.webhook, d.number);
CREATE INDEX delivery_waiting IF NOT EXISTS FOR (d:Delivery) ON (d.waitsFor, d.number);

// Of each tenant, for their end.
CREATE INDEX delivery_by_age IF NOT EXISTS FOR (d:Delivery) ON (d.tenant, d.queuedAt);
