import { useQueryClient } from '@tanstack/react-query'
import { type ChangeEvent, useState } from 'react'
import { namedTenant, readAccess } from '../../data/access.ts'
import { useAllowed } from '../../data/allowed.ts'
import { sendBundle } from '../../data/bundle.ts'
import { client } from '../../data/client.ts'
import { addressOf } from '../../data/place.ts'
import { useNotices } from '../../parts/notices.tsx'
import { Card } from '../../parts/ui.tsx'
import { countOf } from '../../parts/words.ts'
import { beginTour } from '../../shell/tour.tsx'
import { StoreForm } from '../memory/editor.tsx'

/** What an empty tenant shows: ways to get the first memories in. */
export function Welcome() {
  const mayWrite = useAllowed('write')
  const mayImport = useAllowed('admin')
  return (
    <div className="page">
      <h2>Nothing is remembered yet</h2>
      {!mayWrite && <p>This key reads only. A key with the scope `write` can store memories.</p>}
      {mayImport && <Samples />}
      {mayWrite && (
        <>
          <Card title="Write the first memory">
            <StoreForm />
          </Card>
          <Files />
          <Card title="Connect an agent">
            <Lines />
          </Card>
        </>
      )}
    </div>
  )
}

/** The memories of `mnemograph demo`, with their vectors and connections. */
function Samples() {
  const { tell, complain } = useNotices()
  const queries = useQueryClient()
  const [share, setShare] = useState<number>()
  const load = async (isTour: boolean) => {
    setShare(0)
    try {
      const answer = await fetch(addressOf('/console/samples.ndjson'))
      await sendBundle(await answer.text(), setShare)
      tell('Loaded the sample data.')
      await queries.invalidateQueries()
      if (isTour) beginTour()
    } catch (error) {
      complain(error)
    } finally {
      setShare(undefined)
    }
  }
  return (
    <Card title="Look around with sample data">
      <p>
        What an assistant remembers of a small team that builds a booking service for ferries: people,
        decisions, incidents, and two that contradict each other. Erase them later under Maintenance.
      </p>
      <p className="actions">
        <button
          type="button"
          className="primary"
          disabled={share !== undefined}
          onClick={() => void load(false)}
        >
          Load sample data
        </button>
        <button type="button" disabled={share !== undefined} onClick={() => void load(true)}>
          Load it and take the tour
        </button>
        {share !== undefined && <progress aria-label="Sample data" max={1} value={share} />}
      </p>
    </Card>
  )
}

function Files() {
  const { tell, complain } = useNotices()
  const queries = useQueryClient()
  const read = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const parts = await Promise.all(
      [...(target.files ?? [])].map(async file =>
        sectionsOf(await file.text()).map(content => ({ content, source: file.name })),
      ),
    )
    const memories = parts
      .flat()
      .slice(0, 500)
      .map(each => ({ policy: 'long_term', ttl_seconds: 0, ...each }))
    if (memories.length === 0) return
    try {
      await client().createMemories({ memories })
      tell(`Stored ${countOf(memories.length, 'memory', 'memories')}.`)
      await queries.invalidateQueries()
    } catch (error) {
      complain(error)
    }
  }
  return (
    <Card title="Bring files">
      <p className="hint">Each section of a Markdown file becomes a memory, at most 500 at once.</p>
      <p>
        <label className="button">
          Choose Markdown or text files
          <input type="file" className="visually-hidden" accept=".md,.txt,text/*" multiple onChange={read} />
        </label>
      </p>
    </Card>
  )
}

/** One memory for each section with a heading, or for the whole text. */
const sectionsOf = (text: string) =>
  text
    .split(/^(?=#{1,6} )/m)
    .map(part => part.trim())
    .filter(part => part !== '')

function Lines() {
  const access = readAccess()
  const key = access?.key ?? ''
  const tenant = access ? namedTenant(access) : ''
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
