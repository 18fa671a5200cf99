import { problems } from '../../contract/problem-codes.ts'
import { block, quoted } from './json-types.ts'
import { enumValue } from './names.ts'

/** Codes of errors that the caller caused, beyond those of the contract. */
export const queryErrors: Readonly<Record<string, string>> = {
  GRAPHQL_PARSE_FAILED: 'The query is not valid GraphQL.',
  GRAPHQL_VALIDATION_FAILED: 'The query does not fit the schema.',
  OPERATION_RESOLUTION_FAILURE: 'The request has several operations and does not name one.',
  PERSISTED_QUERY_NOT_SUPPORTED: 'The request has only the digest of a query, and there is no safelist.',
  BAD_USER_INPUT: 'A variable does not fit, or the query needs another form. The message says which.',
  BAD_REQUEST: 'This is not a GraphQL request.',
  QUERY_TOO_LARGE: 'The query exceeds a limit, which the extensions of the error name.',
  QUERY_NOT_LISTED: 'The query is not in the safelist.',
}

/** Every code that `extensions.code` of an error can have, as an enum of the schema. */
export const errorCodes = (): string =>
  block(`${quoted('The codes of errors, as their extensions have them.')} enum ErrorCode`, [
    ...Object.entries(queryErrors).map(([code, description]) => `${quoted(description)} ${code}`),
    ...Object.entries(problems).map(([code, { title }]) => `${quoted(`${title}.`)} ${enumValue(code)}`),
  ])
