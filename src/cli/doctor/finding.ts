/** The result of one check, and how to fix it. */
export type Finding = {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failure' | 'skipped'
  readonly message: string
  readonly remedy?: string
}

/** Takes what a check finds. */
export type Report = {
  readonly ok: (message: string) => void
  readonly skipped: (message: string) => void
  readonly warning: (message: string, remedy: string) => void
  readonly failure: (message: string, remedy: string) => void
}

/** A check. It may return what is well, in words, for the case that it reports nothing. */
export type Examine = (report: Report) => Promise<unknown>

/** Adds what a check reports to the findings, under its name. */
export function reportTo(findings: Finding[], check: string): Report {
  const add = (status: Finding['status']) => (message: string, remedy?: string) =>
    void findings.push({ check, status, message, ...(remedy === undefined ? {} : { remedy }) })
  return { ok: add('ok'), skipped: add('skipped'), warning: add('warning'), failure: add('failure') }
}

/** What a check finds. One that fails keeps no other from being made. */
export async function findingsOf(check: string, examine: Examine): Promise<Finding[]> {
  const findings: Finding[] = []
  try {
    const well = await examine(reportTo(findings, check))
    if (findings.length === 0 && typeof well === 'string') reportTo(findings, check).ok(well)
    return findings
  } catch (error) {
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? `${message} (${cause.message})` : message
    const remedy = 'Run it again; if it stays, look into the log of Neo4j.'
    return [{ check, status: 'failure', message: `could not be looked at: ${reason}`, remedy }]
  }
}

/** Bytes as people read them. */
export function sizeOf(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.max(0, Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const amount = bytes / 1024 ** step
  return `${amount >= 100 || step === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[step]}`
}
