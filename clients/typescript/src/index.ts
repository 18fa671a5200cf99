export { type Client, type ClientOptions, createClient, ProblemError } from '../../../src/client.ts'
export type { Input, Output, RouteName } from '../../../src/contract/index.ts'
