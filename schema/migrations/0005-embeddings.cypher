// Embedding spaces. The vector index of a space is created by the start that first uses its model.
CREATE CONSTRAINT space_id IF NOT EXISTS FOR (s:EmbeddingSpace) REQUIRE s.id IS UNIQUE;

// What the service keeps for itself, such as which space is active.
CREATE CONSTRAINT setting_name IF NOT EXISTS FOR (s:Setting) REQUIRE s.name IS UNIQUE;
