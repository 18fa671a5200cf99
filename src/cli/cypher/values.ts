import neo4j from 'neo4j-driver'
import { inGraph } from '../../store/neo4j/values.ts'

/** A parameter as typed: JSON where it is JSON, else text. Whole numbers are integers for the graph. */
export function parameterOf(text: string): unknown {
  try {
    return inGraph(JSON.parse(text, keepLong))
  } catch {
    return text
  }
}

/** The graph has whole numbers of 64 bits. */
const keepLong = (_name: string, value: unknown, context?: { source?: string }) =>
  /^-?\d{16,}$/.test(context?.source ?? '') ? neo4j.int(context?.source ?? '') : value
