import { Play } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { Link } from 'wouter'
import type { Output } from '../../../../contract/index.ts'
import { useAddress } from '../../data/address.ts'
import { client, wordsOf } from '../../data/client.ts'
import { Table } from '../../parts/table.tsx'
import { Card } from '../../parts/ui.tsx'
import { countOf } from '../../parts/words.ts'
import { Picture } from './picture.tsx'
import { graphIn, isMemory, textOf } from './reading.ts'

type Answer = Output<'runCypher'>

const examples = [
  ['Newest memories', 'MATCH (m:Memory)\nRETURN m\nORDER BY m.createdAt DESC\nLIMIT 10'],
  ['What is connected', 'MATCH (a:Memory)-[r]->(b:Memory)\nRETURN a, r, b\nLIMIT 40'],
  [
    'Memories by tag',
    'MATCH (m:Memory)\nUNWIND m.tags AS tag\nRETURN tag, count(*) AS memories\nORDER BY memories DESC\nLIMIT 20',
  ],
] as const

/** Queries the graph of the tenant in Cypher, read-only, and shows the result as a table and as a graph. */
export function CypherView() {
  const { get, set } = useAddress()
  const [query, setQuery] = useState(get('query') || examples[1][1])
  const [answer, setAnswer] = useState<Answer>()
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  const run = async (text: string) => {
    set({ query: text })
    setBusy(true)
    setFault('')
    try {
      setAnswer(await client().runCypher({ query: text }))
    } catch (error) {
      setAnswer(undefined)
      setFault(wordsOf(error))
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(query)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void run(query)
  }
  return (
    <div className="page cypher">
      <Card
        title="Query"
        actions={examples.map(([name, text]) => (
          <button
            key={name}
            type="button"
            onClick={() => {
              setQuery(text)
              void run(text)
            }}
          >
            {name}
          </button>
        ))}
      >
        <form className="stack" onSubmit={submit}>
          <textarea
            rows={6}
            required
            spellCheck={false}
            aria-label="Query in Cypher"
            value={query}
            onChange={event => setQuery(event.target.value)}
            onKeyDown={press}
          />
          <p className="actions">
            <button type="submit" className="primary" disabled={isBusy}>
              <Play size={14} aria-hidden /> Run
            </button>
            <span className="hint">
              Ctrl-Enter runs it. It reads the memories of this tenant, and changes nothing.
            </span>
          </p>
        </form>
        {fault && (
          <p className="warning" role="alert">
            {fault}
          </p>
        )}
      </Card>
      {answer && <Result answer={answer} />}
    </div>
  )
}

const SHOWN = 200

function Result({ answer: { columns, rows, truncated } }: { answer: Answer }) {
  const graph = graphIn(rows)
  return (
    <>
      {graph.nodes.length > 1 && (
        <Card title="Graph">
          <Picture {...graph} />
        </Card>
      )}
      <Card title="Table">
        <p className="hint" role="status">
          {countOf(rows.length, 'row')}
          {truncated && ', and there are more'}
          {rows.length > SHOWN && `; the first ${SHOWN} are shown`}
        </p>
        {rows.length > 0 && (
          <Table columns={columns}>
            {rows.slice(0, SHOWN).map((row, at) => (
              <tr key={at}>
                {columns.map(column => (
                  <td key={column}>
                    <Cell value={row[column]} />
                  </td>
                ))}
              </tr>
            ))}
          </Table>
        )}
      </Card>
    </>
  )
}

const Cell = ({ value }: { value: unknown }) =>
  isMemory(value) ? <Link href={`/memories/${value.properties.id}`}>{textOf(value)}</Link> : textOf(value)
