import { useQuery } from '@tanstack/react-query'
import { type FormEvent, Fragment, useState } from 'react'
import type { Output } from '../../../../contract/index.ts'
import { useAct } from '../../data/acting.ts'
import { client, wordsOf } from '../../data/client.ts'
import { filtersOf } from '../../data/finding.ts'
import { Secret } from '../../parts/secret.tsx'
import { Table } from '../../parts/table.tsx'
import { Card, Empty } from '../../parts/ui.tsx'
import { countOf, shortTime } from '../../parts/words.ts'

type Webhook = Output<'listWebhooks'>['webhooks'][number]

/** Where changes are sent, whether they arrive, and a form for another address. */
export function WebhooksView() {
  const found = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => client().listWebhooks({}, { signal }),
  })
  const [shown, setShown] = useState('')
  const webhooks = found.data?.webhooks ?? []
  return (
    <div className="page">
      <Card title="New webhook">
        <NewWebhook />
      </Card>
      <Card title="Webhooks">
        {found.error && <p role="alert">{wordsOf(found.error)}</p>}
        {found.data && webhooks.length === 0 && (
          <Empty title="No webhook yet">
            <p>
              A webhook sends each change of the memories to an address of yours. Enter the address above.
            </p>
          </Empty>
        )}
        {webhooks.length > 0 && (
          <Table columns={['Address', 'Sends', 'State', 'Last delivered', '']}>
            {webhooks.map(webhook => (
              <Fragment key={webhook.id}>
                <Row webhook={webhook} toggle={() => setShown(shown === webhook.id ? '' : webhook.id)} />
                {shown === webhook.id && (
                  <tr>
                    <td colSpan={5}>
                      <Deliveries id={webhook.id} />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </Table>
        )}
      </Card>
    </div>
  )
}

function Row({ webhook, toggle }: { webhook: Webhook; toggle: () => void }) {
  const act = useAct()
  const { id, url, kinds, filters, waiting, delivered_at, last_error, paused_until } = webhook
  const only = [kinds?.join(', '), filters && JSON.stringify(filters)].filter(Boolean).join(' · ')
  return (
    <tr>
      <td>{url}</td>
      <td>{only || 'every change'}</td>
      <td>
        {countOf(waiting, 'delivery waits', 'deliveries wait')}
        {last_error && <span className="warning"> · {last_error}</span>}
        {paused_until && <span className="warning"> · rests until {shortTime(paused_until)}</span>}
      </td>
      <td>{shortTime(delivered_at)}</td>
      <td className="end">
        <button type="button" onClick={toggle}>
          Deliveries
        </button>{' '}
        <button
          type="button"
          aria-label={`Send again to ${url}`}
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
      </td>
    </tr>
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
  if (found.data.deliveries.length === 0)
    return <p className="hint">No delivery yet. The next change of a memory makes one.</p>
  return (
    <Table columns={['Change', 'State', 'Attempts', 'Time', 'Last error', '']}>
      {found.data.deliveries.map(each => (
        <tr key={each.id}>
          <td>{each.type}</td>
          <td className={each.state === 'failed' ? 'warning' : ''}>{each.state}</td>
          <td>{each.attempts}</td>
          <td>{shortTime(each.settled_at ?? each.due_at)}</td>
          <td>{each.last_error ?? '–'}</td>
          <td className="end">
            <button
              type="button"
              onClick={() => act('Queued again.', () => client().redeliver({ id, delivery_id: each.id }))}
            >
              Send again
            </button>
          </td>
        </tr>
      ))}
    </Table>
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
      <form className="actions" onSubmit={create}>
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
        <button type="submit" className="primary">
          Add a webhook
        </button>
      </form>
      <Secret secret={secret} />
    </>
  )
}
