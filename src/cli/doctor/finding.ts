/** The result of one check, and how to fix it. */
export type Finding = {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failure' | 'skipped'
  readonly message: string
  readonly remedy?: string
}

/** The findings of one check, under its name. */
export const findingsOf = (check: string) => ({
  ok: (message: string): Finding => ({ check, status: 'ok', message }),
  warning: (message: string, remedy: string): Finding => ({ check, status: 'warning', message, remedy }),
  failure: (message: string, remedy: string): Finding => ({ check, status: 'failure', message, remedy }),
  skipped: (message: string): Finding => ({ check, status: 'skipped', message }),
})

/** Bytes as people read them. */
export function sizeOf(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.max(0, Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const amount = bytes / 1024 ** step
  return `${amount >= 100 || step === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[step]}`
}
