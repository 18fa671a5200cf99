import { countedSections } from '../../contract/bundle.ts'
import type { Terminal } from '../shell/terminal.ts'
import type { Imported } from './import-file.ts'

/** What an import did, or with `dryRun` would do. */
export function reportImport(
  { totals }: Imported,
  leftOut: number,
  { dryRun, seconds }: { dryRun: boolean; seconds: number },
  terminal: Terminal,
) {
  terminal.finish(dryRun ? 'Would be done:' : `Imported in ${seconds.toFixed(1)} s:`)
  for (const name of countedSections) {
    const figures = Object.entries(totals[name]).filter(([, count]) => count > 0)
    terminal.say(
      `  ${name.replace('_', ' ')}: ${figures.map(([outcome, count]) => `${count} ${outcome}`).join(', ') || 'none'}`,
    )
  }
  const { taken, left_out } = totals.vectors
  if (taken + left_out > 0) terminal.say(`  vectors: ${taken} taken, ${left_out} to compute again`)
  if (leftOut > 0) terminal.note(`${leftOut} lines were left out.`)
}
