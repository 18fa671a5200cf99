// Tokens of the chat model that a tenant has used, by day.
CREATE CONSTRAINT model_use_of_day IF NOT EXISTS FOR (u:ModelUse) REQUIRE (u.tenant, u.day) IS UNIQUE;
