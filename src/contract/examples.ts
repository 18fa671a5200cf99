import { administrationExamples } from './examples/administration.ts'
import { graphExamples } from './examples/graph.ts'
import { lifecycleExamples } from './examples/lifecycle.ts'
import { memoryExamples } from './examples/memories.ts'
import { webhookExamples } from './examples/webhooks.ts'
import type { Input, Output, RouteName } from './index.ts'
import type { TextStream } from './route.ts'

type DeepReadonly<Value> = Value extends object
  ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
  : Value

/** A request of an operation and its response; of a stream, the text in each media type. */
type Example<Name extends RouteName> = {
  readonly input: DeepReadonly<Input<Name>>
  readonly output: Output<Name> extends TextStream
    ? Readonly<Record<string, string>>
    : DeepReadonly<Output<Name>>
}

/** One example of every operation. A test validates each response, and sends each request to a service. */
export const examples: { readonly [Name in RouteName]: Example<Name> } = {
  ...memoryExamples,
  ...graphExamples,
  ...lifecycleExamples,
  ...administrationExamples,
  ...webhookExamples,
}
