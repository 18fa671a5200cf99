import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Output } from '../../contract/index.ts'
import { useAct } from './acting.ts'
import { client } from './api.ts'
import { filtersOf } from './finding.ts'
import { Head } from './head.tsx'
import { Secret } from './secret.tsx'
import { countOf, shortTime } from './words.ts'

type Webhook = Output<'listWebhooks'>['webhooks'][number]

/** Where changes are sent, whether they arrive, and a form for another address. */
export function Webhooks() {
  const found = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => client().listWebhooks({}, { signal }),
  })
  const [shown, setShown] = useState('')
  return (
    <section className="card">
      <h3>Webhooks</h3>
      {found.data?.webhooks.length === 0 && (
        <p className="hint">None. A webhook sends each change to an address of yours.</p>
      )}
      <ul>
        {found.data?.webhooks.map(webhook => (
          <li key={webhook.id}>
            <Row webhook={webhook} toggle={() => setShown(shown === webhook.id ? '' : webhook.id)} />
            {shown === webhook.id && <Deliveries id={webhook.id} />}
          </li>
        ))}
      </ul>
      <NewWebhook />
    </section>
  )
}

function Row({ webhook, toggle }: { webhook: Webhook; toggle: () => void }) {
  const act = useAct()
  const { id, url, kinds, filters, waiting, delivered_at, last_error, paused_until } = webhook
  const only = [kinds?.join(', '), filters && JSON.stringify(filters)].filter(Boolean).join(' · ')
  return (
    <>
      <strong>{url}</strong> {only && <span className="hint">{only}</span>}
      <br />
      {countOf(waiting, 'delivery waits', 'deliveries wait')}, last delivered {shortTime(delivered_at)}
      {last_error && <span className="warning"> · {last_error}</span>}
      {paused_until && <span className="warning"> · rests until {shortTime(paused_until)}</span>}{' '}
      <button type="button" onClick={toggle}>
        Deliveries
      </button>{' '}
      <button
        type="button"
        aria-label={`Send again what ${url} did not accept`}
        onClick={() =>
          act(
            ({ queued }) => `Queued again: ${queued}.`,
            () => client().redeliver({ id }),
          )
        }
      >
        Send again
      </button>{' '}
      <button
        type="button"
        aria-label={`Remove ${url}`}
        onClick={() => act('Removed.', () => client().deleteWebhook({ id }))}
      >
        Remove
      </button>
    </>
  )
}

const LATEST = 20

function Deliveries({ id }: { id: string }) {
  const act = useAct()
  const found = useQuery({
    queryKey: ['deliveries', id],
    queryFn: ({ signal }) => client().listDeliveries({ id, limit: LATEST }, { signal }),
  })
  if (!found.data) return null
  if (found.data.deliveries.length === 0) return <p className="hint">No deliveries yet.</p>
  return (
    <table>
      <Head columns={['Change', 'State', 'Attempts', 'Time', 'Last error', '']} />
      <tbody>
        {found.data.deliveries.map(each => (
          <tr key={each.id}>
            <td>{each.type}</td>
            <td className={each.state === 'failed' ? 'warning' : ''}>{each.state}</td>
            <td>{each.attempts}</td>
            <td>{shortTime(each.settled_at ?? each.due_at)}</td>
            <td>{each.last_error ?? '–'}</td>
            <td>
              <button
                type="button"
                onClick={() => act('Queued again.', () => client().redeliver({ id, delivery_id: each.id }))}
              >
                Send again
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function NewWebhook() {
  const act = useAct()
  const [url, setUrl] = useState('')
  const [tags, setTags] = useState('')
  const [secret, setSecret] = useState('')
  const create = (event: FormEvent) => {
    event.preventDefault()
    const filters = filtersOf(name => (name === 'tags' ? tags : ''))
    void act('Made a webhook.', async () => {
      const made = await client().createWebhook({
        url,
        ...(Object.keys(filters).length > 0 ? { filters } : {}),
      })
      setSecret(made.secret)
      setUrl('')
      setTags('')
    })
  }
  return (
    <>
      <form className="keys" onSubmit={create}>
        <input
          aria-label="Address of the webhook"
          placeholder="https://app.example/hook"
          type="url"
          required
          value={url}
          onChange={event => setUrl(event.target.value)}
        />
        <input
          aria-label="Only memories with these tags"
          placeholder="Only these tags"
          value={tags}
          onChange={event => setTags(event.target.value)}
        />
        <button type="submit">Add a webhook</button>
      </form>
      <Secret secret={secret} />
    </>
  )
}
