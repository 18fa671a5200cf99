const notFound = (
  thing: string,
  description = `The tenant has no ${thing.toLowerCase()} with this id. Check the id.`,
) => ({ status: 404, title: `${thing} not found`, description }) as const

/** Every problem by its code: the HTTP status, a title, and a description of cause and remedy. Codes and titles are stable. */
export const problems = {
  malformed_request: {
    status: 400,
    title: 'Malformed HTTP request',
    description: 'The service cannot read the request as HTTP. Check the client or proxy that sends it.',
  },
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    description: 'The body is not valid JSON in UTF-8. Fix the body.',
  },
  malformed_id: {
    status: 400,
    title: 'Malformed id',
    description: 'The id in the path has the wrong format. Use an id that the service returned.',
  },
  invalid_cursor: {
    status: 400,
    title: 'Invalid cursor',
    description:
      'The cursor was changed, or belongs to another request. Send `next_cursor` unchanged, or start without a cursor.',
  },
  unauthorized: {
    status: 401,
    title: 'Authentication required',
    description: 'The key is missing, wrong or expired. Send a valid key.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    description: 'The key does not have the required scope, or belongs to another tenant. Use another key.',
  },
  model_not_set: {
    status: 409,
    title: 'No chat model',
    description: 'The service has no chat model. Ask the operator to set `SERVICE_MODEL`.',
  },
  quota_exceeded: {
    status: 403,
    title: 'Quota exceeded',
    description:
      'The tenant would store more than its quota allows. Remove memories for good, or ask the operator for a larger quota.',
  },
  foreign_caller: {
    status: 403,
    title: 'Caller not allowed',
    description: 'The request comes from a host or origin that is not allowed. Add it to the settings.',
  },
  memory_not_found: notFound('Memory'),
  version_not_found: notFound('Version', 'The memory has no such version, or it is no longer kept.'),
  erasure_not_found: notFound('Erasure', 'The tenant has no such erasure.'),
  tenant_not_found: notFound('Tenant', 'There is no tenant of this name. Check the name.'),
  connection_not_found: notFound(
    'Connection',
    'The tenant has no such connection. Check the ids, their order and the type.',
  ),
  key_not_found: notFound('Key'),
  job_not_found: notFound('Job'),
  policy_not_found: notFound('Policy', 'The tenant has not defined this policy. Check the name.'),
  space_not_found: notFound('Embedding space', 'There is no embedding space with this id. Check the id.'),
  plan_not_found: notFound(
    'Plan',
    'The tenant has no plan with this id, or it has expired. Make a new plan.',
  ),
  run_not_found: notFound(
    'Run',
    'The tenant has no run with this id, or it is no longer kept. Check the id.',
  ),
  webhook_not_found: notFound('Webhook'),
  delivery_not_found: notFound(
    'Delivery',
    'The webhook has no delivery with this id, or it is no longer kept. Check the id.',
  ),
  unknown_path: notFound('Path', 'The service has nothing at this path. Check the path.'),
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    description: 'The path does not support this method. Use a method of the `Allow` header.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timed out',
    description: 'The request did not arrive in time. Send it again.',
  },
  memory_archived: {
    status: 409,
    title: 'Memory archived',
    description: 'An archived memory cannot be changed or connected. Restore it first.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Request in progress',
    description: 'The first request with this idempotency key is still running. Wait, then send it again.',
  },
  tenant_closed: {
    status: 409,
    title: 'Tenant closed',
    description:
      'The tenant is being erased, or was removed. Wait until the erasure is complete. After a removal, create a key for the tenant with the operator key.',
  },
  idempotency_answer_gone: {
    status: 409,
    title: 'Created memory removed',
    description:
      'The memory that the first request with this idempotency key created was removed. Use a new key.',
  },
  job_not_failed: {
    status: 409,
    title: 'Job has not failed',
    description: 'Only a failed job can be queued again. Check the state of the job.',
  },
  policy_in_use: {
    status: 409,
    title: 'Policy in use',
    description: 'A memory or another policy uses the policy. Change them first.',
  },
  space_incomplete: {
    status: 409,
    title: 'Embedding space incomplete',
    description:
      'Too many memories have no vector in the embedding space. Wait until the queue has computed them.',
  },
  space_in_use: {
    status: 409,
    title: 'Embedding space in use',
    description: 'The embedding space is active or configured. Switch to another one first.',
  },
  audit_log_differs: {
    status: 409,
    title: 'Audit log differs',
    description:
      'The entries do not continue the audit log of the tenant. Restore them into a service whose log for the tenant is empty.',
  },
  plan_moved: {
    status: 409,
    title: 'Plan out of date',
    description: 'Memories of the plan have changed. Make a new plan.',
  },
  key_expired: {
    status: 409,
    title: 'Key expired',
    description: 'An expired key cannot be rotated. Create a new key.',
  },
  plan_not_open: {
    status: 409,
    title: 'Plan already applied',
    description: 'A plan can be applied once. Make a new plan.',
  },
  run_not_undoable: {
    status: 409,
    title: 'Run cannot be undone',
    description: 'The run was undone already, or is older than 7 days.',
  },
  too_many_webhooks: {
    status: 409,
    title: 'Too many webhooks',
    description: 'The tenant has as many webhooks as it can have. Delete one first.',
  },
  cursor_expired: {
    status: 410,
    title: 'Cursor expired',
    description: 'The service no longer keeps the changes after the cursor. Read all memories again.',
  },
  version_mismatch: {
    status: 412,
    title: 'Version mismatch',
    description:
      'The memory has another version than the request names. Fetch it again, then repeat your change.',
  },
  payload_too_large: {
    status: 413,
    title: 'Body too large',
    description: 'The body exceeds 8 MiB. Send less in one request.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    description: 'The body must be JSON. Set `Content-Type` to `application/json`.',
  },
  validation_failed: {
    status: 422,
    title: 'Validation failed',
    description:
      'A field is missing or invalid. `errors` names each field, what was expected, and what to do.',
  },
  cypher_not_allowed: {
    status: 422,
    title: 'Cypher not allowed',
    description:
      'The query does more than read the graph of the tenant, or cannot be read. The detail names the place.',
  },
  cypher_failed: {
    status: 422,
    title: 'Query failed',
    description:
      'The database cannot run the query, or it takes too much time or memory. The detail says why.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    description: 'The idempotency key was used with another request. Use a new key for each new request.',
  },
  too_many_streams: {
    status: 429,
    title: 'Too many streams',
    description: 'The tenant has too many open streams. Close one first.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    description: 'The client sent too many requests. Wait as long as `Retry-After` says.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    description: 'The headers of the request are too large. Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    description: 'The service has a fault. The log has the details under the request id.',
  },
  issuer_unavailable: {
    status: 503,
    title: 'Token issuer unavailable',
    description: 'The keys of the OpenID Connect issuer cannot be read. Try again later, or use an API key.',
  },
  embedding_unavailable: {
    status: 503,
    title: 'Embedding provider unavailable',
    description: 'The embedding provider does not respond. Search by keyword, or try again later.',
  },
  database_unavailable: {
    status: 503,
    title: 'Database unavailable',
    description:
      'The database does not respond in time. Send the request again. What you sent may have been stored: `detail` and the header `Idempotency-Key` name the key with which a repeat of a create stores it once.',
  },
} as const satisfies Record<string, { status: number; title: string; description: string }>

export type ProblemCode = keyof typeof problems

export const problemType = (code: ProblemCode) => `urn:mnemograph:problem:${code}`
