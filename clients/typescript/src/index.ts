export { ProblemError } from '../../../src/client.ts'
export type { Input, Output, RouteName } from '../../../src/contract/index.ts'
export {
  type Change,
  type Client,
  type ClientOptions,
  createClient,
  type Memory,
  type SearchResult,
  ServiceUnreachable,
} from './client.ts'
