type Progress = { status: string; file?: string; loaded?: number; total?: number }

const MEGABYTE = 1_000_000

/** A line for each quarter of a large file, none for small ones. */
export function progressLines(report: (line: string) => void): (progress: Progress) => void {
  const quarters = new Map<string, number>()
  return ({ status, file = '', loaded = 0, total = 0 }) => {
    if (status !== 'progress' || total < MEGABYTE) return
    const quarter = Math.floor((4 * loaded) / total)
    if (quarter <= (quarters.get(file) ?? 0)) return
    quarters.set(file, quarter)
    report(`Fetching ${file}: ${quarter * 25} % of ${Math.round(total / MEGABYTE)} MB`)
  }
}
