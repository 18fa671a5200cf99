import type { z } from 'zod'
import { BUNDLE_VERSION, bundleLine, type Line, sections } from './bundle.ts'
import { ruleOf } from './faults.ts'
import { readJson } from './json.ts'
import { fromPointer } from './pointers.ts'

/** A fault of a line; `rule` ends the sentence about the field at `path`. */
export type LineFault = { code: string; rule: string; path: readonly PropertyKey[] }

/** One line of a bundle, checked, or its first fault. */
export function readLine(text: string): { line: Line } | { fault: LineFault } {
  const { value = null, fault: changed } = readJson(text)
  if (changed) return { fault: { ...changed, path: fromPointer(changed.pointer) } }
  const section = (value as { section?: unknown } | null)?.section
  if (typeof section !== 'string') return fault('malformed_line', 'must be a JSON object with a `section`')
  if (!known.has(section))
    return fault(
      'unknown_section',
      `has the unknown section “${section.slice(0, 40)}”. Use one of: ${[...known].join(', ')}`,
    )
  const { version } = value as { version?: unknown }
  if (section === 'bundle' && typeof version === 'number' && version > BUNDLE_VERSION)
    return fault(
      'future_version',
      `has version ${version} of the format. This service reads versions up to ${BUNDLE_VERSION}`,
    )
  const parsed = bundleLine.safeParse(value, { reportInput: true })
  if (parsed.success) return { line: parsed.data }
  const issue = parsed.error.issues[0] as z.core.$ZodIssue
  return { fault: { code: issue.code ?? 'invalid', rule: ruleOf(issue), path: issue.path } }
}

const known = new Set<string>(['bundle', ...sections, 'manifest', 'checkpoint'])

const fault = (code: string, rule: string) => ({ fault: { code, rule, path: [] } })
