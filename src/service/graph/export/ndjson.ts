import type { GraphWriter } from './writer.ts'

/** A line for each memory and each connection, with the names of the API: `record` says which of the two it is. */
export const ndjson: GraphWriter = {
  head: '',
  nodes: page => page.map(memory => line({ record: 'memory', ...memory })).join(''),
  edges: page =>
    page
      .map(({ source_id, connection }) => line({ record: 'connection', source_id, ...connection }))
      .join(''),
  tail: '',
}

const line = (value: object) => `${JSON.stringify(value)}\n`
