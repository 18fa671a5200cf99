import { type RouteName, routes } from '../../src/contract/index.ts'
import { namesInPath, type Route, type TextStream } from '../../src/contract/route.ts'

const candidates = ['01900000-0000-7000-8000-000000000000', 'some_name', '0123456789ab']

/** The path of a route with well-formed names in it that stand for nothing. */
export function pathOf(name: RouteName): string {
  const { path, input }: Route = routes[name]
  return namesInPath(path).reduce((text, field) => {
    const value = candidates.find(candidate => input.shape[field]?.safeParse(candidate).success)
    if (value === undefined) throw new Error(`No example fits {${field}} of ${name}`)
    return text.replace(`{${field}}`, value)
  }, path)
}

/** Takes every piece of an answer that is a stream, of one without end the first: a service does no more than is read. */
export async function readToEnd(answer: unknown) {
  const { pieces, mediaType } = (answer ?? {}) as Partial<TextStream>
  for await (const _piece of pieces ?? []) if (mediaType?.startsWith('text/event-stream')) break
}
