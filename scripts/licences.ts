/**
 * Writes the table of docs/reports/licences.md from the lock file, and the bill of materials `dist/sbom.cdx.json`
 * (CycloneDX, by npm): `npm run licences`. A test checks that the table is current.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

type Entry = { version?: string; license?: string; dev?: boolean; link?: boolean; devOptional?: boolean }

const root = fileURLToPath(new URL('..', import.meta.url))
export const licencesPage = join(root, 'docs', 'reports', 'licences.md')

/** Licences that ask for no more than their text with each copy. The packages of all others are named. */
const PLAIN = new Set(['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0'])
const PARTS = /<!-- licences -->.*<!-- \/licences -->/s

/** The page with the licences of the packages that an installation of the service has. */
export function withLicences(page: string): string {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Entry>
  }
  const installed = Object.entries(packages).filter(
    ([path, { dev, devOptional, link }]) => path.startsWith('node_modules/') && !dev && !devOptional && !link,
  )
  const byLicence = Map.groupBy(installed, ([, { license }]) => license ?? 'not named in the package')
  const rows = [...byLicence]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([licence, found]) => {
      const names = PLAIN.has(licence) ? '' : found.map(nameOf).join(', ')
      return `| ${licence} | ${found.length} | ${names} |`
    })
  const table = ['| licence | packages | which |', '|---|---|---|', ...rows].join('\n')
  return page.replace(PARTS, `<!-- licences -->\n${table}\n<!-- /licences -->`)
}

const nameOf = ([path, { version }]: [string, Entry]) =>
  `\`${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}\` ${version}`

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(licencesPage, withLicences(readFileSync(licencesPage, 'utf8')))
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only']
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(
    join(root, 'dist', 'sbom.cdx.json'),
    execFileSync('npm', words, { cwd: root, maxBuffer: 1e8 }),
  )
}
