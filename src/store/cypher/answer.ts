/** An operator of a plan with those that feed it. */
export type QueryPlan = { operator: string; details: string; children: QueryPlan[] }

/** Rows as the text of a JSON list. */
export type JsonRows = { columns: string[]; rows: string; truncated: boolean }

/** What a caller asks, and for which tenant. */
export type CypherQuery = {
  readonly query: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly tenant: string
  readonly explain: boolean
}

/** The rows, or the plan if that was asked for. */
export type CypherAnswer = JsonRows & { readonly plan: QueryPlan | null }
