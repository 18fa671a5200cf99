/** What one look came to. `remedy` says what to do about it. */
export type Finding = {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failure' | 'skipped'
  readonly says: string
  readonly remedy?: string
}

/** The findings of one check, under its name. */
export const findingsOf = (check: string) => ({
  ok: (says: string): Finding => ({ check, status: 'ok', says }),
  warning: (says: string, remedy: string): Finding => ({ check, status: 'warning', says, remedy }),
  failure: (says: string, remedy: string): Finding => ({ check, status: 'failure', says, remedy }),
  skipped: (says: string): Finding => ({ check, status: 'skipped', says }),
})

/** Bytes as people read them. */
export function sizeOf(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.max(0, Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const amount = bytes / 1024 ** step
  return `${amount >= 100 || step === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[step]}`
}
