import { expect } from 'vitest'
import { type ProblemCode, problems } from '../../src/contract/problem-codes.ts'
import { type Problem, problem } from '../../src/contract/problems.ts'

/** Holds an answer to be a complete problem document of this code, and gives it back. */
export async function expectProblem(response: Response, code: ProblemCode): Promise<Problem> {
  const text = await response.text()
  expect.soft(response.headers.get('content-type'), text).toBe('application/problem+json; charset=utf-8')
  const document = problem.strict().parse(JSON.parse(text))
  const { pathname } = new URL(response.url)
  const { status, title } = problems[code]
  expect(document).toMatchObject({
    type: `urn:mnemograph:problem:${code}`,
    code,
    status,
    title,
    instance: pathname,
    request_id: response.headers.get('x-request-id'),
  })
  expect(response.status).toBe(document.status)
  expect(document.detail).not.toBe('')
  return document
}
