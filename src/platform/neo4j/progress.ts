const everyMs = 3_000
const bytesIn: Record<string, number> = { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9 }

/** Follows Maven's output and reports every three seconds how much was downloaded; silent if nothing was missing. */
export function fetchProgress(what: string, report: (line: string) => void) {
  const startedAt = performance.now()
  let files = 0
  let jars = 0
  let bytes = 0
  let announced = false
  const sayWhere = () => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const megabytes = (bytes / 1e6).toFixed(0)
    if (announced) report(`Fetching ${what}: ${jars} jars of ${files} files, ${megabytes} MB, ${seconds} s`)
  }
  const timer = setInterval(sayWhere, everyMs)
  return {
    line(text: string) {
      if (!announced && text.includes('Downloading from ')) {
        announced = true
        report(`Fetching ${what} (225 jars, 152 MB, once; GPLv3, from your Maven repository)`)
      }
      const [, extension, amount, unit] =
        /Downloaded from [^()]{0,300}\.(\w{1,9}) \(([\d.,]+) ([kKMG]?B)/.exec(text) ?? []
      if (amount === undefined || unit === undefined) return
      files += 1
      if (extension === 'jar') jars += 1
      bytes += Number(amount.replace(',', '.')) * (bytesIn[unit] ?? 1)
    },
    done: sayWhere,
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
