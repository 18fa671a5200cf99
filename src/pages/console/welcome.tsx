import { type ChangeEvent, useState } from 'react'
import { readAccess } from '../shared/access.ts'
import { addressOf } from '../shared/place.ts'
import { useAllowed } from './allowed.ts'
import { client } from './api.ts'
import { NewMemory } from './editor.tsx'
import { useNotices } from './notices.tsx'

const samples = [
  ['Checkout deploys need a green load test', ['checkout', 'deployment']],
  ['The load test of 12 November failed because the connection pool was too small', ['checkout', 'incident']],
  ['The connection pool of checkout has 50 connections since 13 November', ['checkout', 'database']],
  ['Anna is on call for checkout in November', ['checkout', 'people']],
  ['The offsite is in Lisbon in May', ['offsite']],
] as const

/** What an empty tenant shows: ways to get the first memories in. */
export function Welcome() {
  const { tell, complain } = useNotices()
  const [isBusy, setBusy] = useState(false)
  const mayWrite = useAllowed('write')
  const store = async (memories: { content: string; tags?: string[]; source?: string }[]) => {
    setBusy(true)
    try {
      await client().createMemories({
        memories: memories.map(each => ({ policy: 'long_term', ttl_seconds: 0, ...each })),
      })
      tell(`Stored ${memories.length} memories.`)
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  const read = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const files = [...(target.files ?? [])]
    const parts = await Promise.all(
      files.map(async file => sectionsOf(await file.text()).map(content => ({ content, source: file.name }))),
    )
    const memories = parts.flat().slice(0, 500)
    if (memories.length > 0) await store(memories)
  }
  if (!mayWrite)
    return (
      <div className="page narrow">
        <h2>Nothing is remembered yet</h2>
        <p>This key reads only. A key with the scope `write` can store memories.</p>
      </div>
    )
  return (
    <div className="page narrow">
      <h2>Nothing is remembered yet</h2>
      <section className="card">
        <h3>Write the first memory</h3>
        <NewMemory />
      </section>
      <section className="card">
        <h3>Or bring some</h3>
        <p>
          <label className="button">
            Choose Markdown or text files
            <input
              type="file"
              className="visually-hidden"
              accept=".md,.txt,text/*"
              multiple
              onChange={read}
            />
          </label>{' '}
          <button
            type="button"
            disabled={isBusy}
            onClick={() => store(samples.map(([content, tags]) => ({ content, tags: [...tags] })))}
          >
            Store five samples
          </button>
        </p>
      </section>
      <section className="card">
        <h3>Or connect an agent</h3>
        <Lines />
      </section>
    </div>
  )
}

/** One memory for each section with a heading, or for the whole text. */
const sectionsOf = (text: string) =>
  text
    .split(/^(?=#{1,6} )/m)
    .map(part => part.trim())
    .filter(part => part !== '')

function Lines() {
  const { key = '', tenant = '' } = readAccess() ?? {}
  const named = tenant ? ` --header "X-Tenant-Id: ${tenant}"` : ''
  const curl = tenant ? ` -H "X-Tenant-Id: ${tenant}"` : ''
  return (
    <>
      <p>Claude Code:</p>
      <pre>{`claude mcp add --transport http mnemograph ${addressOf('/mcp')} --header "Authorization: Bearer ${key}"${named}`}</pre>
      <p>curl:</p>
      <pre>{`curl ${addressOf('/api/v1/memories')} -H "Authorization: Bearer ${key}"${curl} \\
  -H "Content-Type: application/json" \\
  -d '{"content": "Hello", "policy": "long_term", "ttl_seconds": 0}'`}</pre>
    </>
  )
}
