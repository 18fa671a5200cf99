import type { TypedDocumentString } from './gql/graphql.ts'

/** Where the service is, and the token or key that the user gave. */
export type Access = { readonly url: string; readonly token: string; readonly tenant: string }

const PLACE = 'memories.access'

/** Kept in the session of this tab and nowhere else. */
export function readAccess(): Access | undefined {
  const kept = sessionStorage.getItem(PLACE)
  return kept === null ? undefined : (JSON.parse(kept) as Access)
}

export const keepAccess = (access: Access) => sessionStorage.setItem(PLACE, JSON.stringify(access))

export const headersOf = ({ token, tenant }: Access): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  ...(tenant === '' ? {} : { 'x-tenant-id': tenant }),
})

type Answer<Result> = { data?: Result; errors?: readonly { message: string }[]; detail?: string }

/** Asks GraphQL. The types of the variables and of the result come from the document. */
export async function ask<Result, Variables>(
  access: Access,
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Result> {
  const response = await fetch(`${access.url}/graphql`, {
    method: 'POST',
    headers: { ...headersOf(access), 'content-type': 'application/json' },
    body: JSON.stringify({ query: document.toString(), variables }),
    signal: signal ?? null,
  })
  const { data, errors, detail } = (await response.json()) as Answer<Result>
  if (data === undefined || errors !== undefined) throw new Error(errors?.[0]?.message ?? detail)
  return data
}

/** Reads a memory with its ETag by REST. */
export async function readContent(access: Access, id: string): Promise<{ content: string; etag: string }> {
  const response = await fetch(`${access.url}/api/v1/memories/${id}?record_recall=false`, {
    headers: headersOf(access),
  })
  const { content, detail } = (await response.json()) as { content: string; detail?: string }
  if (!response.ok) throw new Error(detail)
  return { content, etag: response.headers.get('etag') ?? '' }
}

/** Changes a memory only if it still is as the user saw it. @throws Error with the words of the service */
export async function saveContent(access: Access, id: string, content: string, etag: string): Promise<void> {
  const response = await fetch(`${access.url}/api/v1/memories/${id}`, {
    method: 'PATCH',
    headers: { ...headersOf(access), 'content-type': 'application/json', 'if-match': etag },
    body: JSON.stringify({ content }),
  })
  if (!response.ok) throw new Error(((await response.json()) as { detail: string }).detail)
}
