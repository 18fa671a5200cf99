import { quoted } from './json-types.ts'

/** What every client of Relay expects of a schema. */
export const relayTypes = `
${quoted('An object with an id of its own.')} interface Node {
  ${quoted('The id.')} id: ID!
}`

const NULL = 'Null if there is none, if it has expired, or if it is archived and not requested.'

/** Fields of `Query`. */
export const relayFields: readonly string[] = [
  `${quoted(`Read an object by its id: a memory. ${NULL} Records no recall.`)} node(
    ${quoted('The id.')} id: ID!
  ): Node`,
  `${quoted(`Read several objects by their ids, in this order. ${NULL} Records no recall.`)} nodes(
    ${quoted('The ids; 200 is the maximum.')} ids: [ID!]!
  ): [Node]!`,
]
