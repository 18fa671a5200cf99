/** For so long the answers to idempotency keys are kept, and what is known of writes. */
export const KEPT_HOURS = 24
