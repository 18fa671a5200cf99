// Names that no index has. A statement that is planned before a name exists is planned again once it does, so the first
// minute of a new database would plan most statements twice.
UNWIND [
  'author', 'content', 'metadata', 'policy', 'sensitive', 'source', 'speaker', 'tags', 'ttlSeconds', 'validFrom', 'validUntil',
  'archivedAt', 'archivedReason', 'expiresAt', 'lastRecalledAt', 'recallCount', 'reason', 'supersededBy',
  'counted', 'discoveredRevision', 'foldedRecalls', 'importanceSince', 'importedBy', 'isNew', 'lastRun', 'lastRunVersion', 'lateVersion', 'liveUntil', 'lock',
  'maintainedAt', 'movedBy', 'recallBurstEnds', 'rejected', 'revision', 'degree',
  'copiedBy', 'model', 'origin', 'recordedAt', 'revisions', 'rule', 'strength', 'threshold', 'type',
  'attempt', 'kind', 'lastError', 'progress', 'report', 'trace',
  'hash', 'keyId', 'keyName', 'lastUsedAt', 'otherTenants', 'owner', 'rateLimit', 'retiresAt', 'scopes', 'secret',
  'address', 'digest', 'last', 'operation', 'outcome', 'previous', 'requestId', 'target',
  'answer', 'bodyHash', 'claim', 'mintedIds',
  'dimensions', 'index', 'property', 'provider', 'unrelatedDeviation', 'unrelatedMean',
  'archiveAtHealth', 'healthDecay', 'importanceDecay', 'promoteAtRecalls', 'promoteTo', 'recallBoost', 'removeAfterSeconds', 'rules', 'since',
  'counts', 'foldedAt', 'foldedBy', 'json', 'removedBy', 'removedKey', 'requestedBy', 'summary', 'undoneAt', 'verified',
  'archived', 'characters', 'fields', 'earlierPlace', 'forgotten', 'memories', 'usage',
  'attempts', 'body', 'deliveredAt', 'dueAt', 'failures', 'filters', 'kinds', 'matches', 'minRelevance', 'nextAt', 'pausedUntil', 'position',
  'settledAt', 'url',
  'common', 'far', 'near', 'reaches', 'unsettled', 'wordless',
  'communities', 'pauses', 'reach', 'size', 'value', 'checksum', 'appliedAt',
  'again', 'calls', 'extracted', 'extractedBy', 'judged', 'session', 'tokens'
] AS name
CALL db.createProperty(name)
RETURN count(*) AS made;
CALL db.createRelationshipType('ANSWERED');
CALL db.createRelationshipType('MENTIONS');
