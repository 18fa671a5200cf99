// Whether a vector is of the beginning of its content only stands beside each, and tells of it: a list need not look for
// the vector. It stood there only where it was so.
MATCH (m:Memory|RemovedMemory)
CALL (m) {
  UNWIND [name IN keys(m) WHERE name STARTS WITH 'embedding_'] AS name
  WITH m, 'embeddingTruncated_' + split(name, '_')[1] AS truncated WHERE m[truncated] IS NULL
  SET m[truncated] = false
} IN TRANSACTIONS OF 1000 ROWS;
