import { type ConnectionValues, connectClient } from '../shell/connect.ts'
import type { QueryRows } from './run.ts'

type Asked = { query: string; parameters: Record<string, unknown>; most: number; signal: AbortSignal }

/** Runs a query over the graph of the tenant that the key belongs to, by the service. @throws ProblemError */
export async function runForTenant(
  values: ConnectionValues,
  { query, parameters, most, signal }: Asked,
): Promise<QueryRows> {
  const client = await connectClient(values)
  const { columns, rows, truncated } = await client.runCypher({ query, parameters }, { signal })
  const shown = rows.slice(0, most)
  return {
    columns,
    rows: shown.map(row => columns.map(name => row[name])),
    more: truncated || rows.length > most,
  }
}
