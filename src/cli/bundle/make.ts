import { readLine } from '../../contract/bundle-reading.ts'
import { sentence } from '../../contract/faults.ts'
import { addLine, noSums } from '../../platform/digest.ts'

/** A bundle of nothing, which tells on a trial which tenant a key is of. */
export const firstLine = (): string =>
  JSON.stringify({ section: 'bundle', version: 1, made_at: new Date().toISOString(), vectors: null })

/** The lines of a bundle with what `fill` adds to it. `add` takes a line, or returns what is wrong with it. */
export function makeBundle(fill: (add: (line: { section: string }) => string | undefined) => void): string[] {
  const sums = noSums()
  const lines = [firstLine()]
  fill(line => {
    const text = JSON.stringify(line)
    const read = readLine(text)
    if ('fault' in read) return sentence(read.fault.path, read.fault.rule).replace(/\.$/, '')
    addLine(sums, line.section, text)
    lines.push(text)
    return undefined
  })
  return [...lines, JSON.stringify({ section: 'manifest', sections: sums })]
}
