import type { Context } from '../context.ts'
import type { Output, Parsed, RouteName } from '../contract/index.ts'

/** What does an operation with its checked input: the route says what it takes and what it returns. */
export type Handler<Name extends RouteName> = (ctx: Context, input: Parsed<Name>) => Promise<Output<Name>>
