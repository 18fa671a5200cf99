import { relationshipType } from '../../contract/connections.ts'
import { callCommand } from '../shell/call.ts'
import { AN_ID, ANOTHER_ID, given, numberOf, oneOf, wordsOf } from '../shell/command.ts'

const type = { value: 'TYPE', describe: `One of ${relationshipType.options.join(', ')}` }
const ENDS = `${AN_ID} ${ANOTHER_ID}`

export const connect = callCommand({
  words: 'SOURCE TARGET',
  summary: 'Connect two memories',
  examples: [`connect ${ENDS} --type supports --strength 0.9`],
  options: {
    type: { ...type, describe: `${type.describe} (default: related_to)` },
    strength: { value: 'X', describe: 'How strong the connection is, 0 to 1' },
  },
  call({ values, words }) {
    const [source_id, target_id] = wordsOf(words, 'the source', 'the target')
    const relationship_type = oneOf(relationshipType.options, values.type, '--type')
    const input = {
      source_id,
      target_id,
      ...given({ relationship_type, strength: numberOf(values.strength, '--strength') }),
    }
    return (client, options) => client.createConnection(input, options)
  },
  show: ({ source_id, connection }, { note }) =>
    note(`Connected: ${source_id} ${connection.relationship_type} ${connection.target_id}.`),
})

export const disconnect = callCommand({
  words: 'SOURCE TARGET',
  summary: 'Remove the connections from one memory to another',
  details: 'Discovery leaves a connection that you removed away, until the text of one of the two changes.',
  examples: [`disconnect ${ENDS}`],
  options: { type: { ...type, describe: `${type.describe} (default: every type)` } },
  call({ values, words }) {
    const [source_id, target_id] = wordsOf(words, 'the source', 'the target')
    const relationship_type = oneOf(relationshipType.options, values.type, '--type')
    const input = { source_id, target_id, ...given({ relationship_type }) }
    return (client, options) => client.deleteConnection(input, options)
  },
  show: ({ deleted }, { note }) => note(`Removed ${deleted} connections.`),
})
