import { randomBytes } from 'node:crypto'
import { v7 as mintId } from 'uuid'
import type { Context } from '../../context.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import { addressOf } from '../../platform/public-address.ts'
import * as deliveries from '../../store/webhooks/deliveries.ts'
import * as store from '../../store/webhooks/webhooks.ts'
import { prepareAll, toSelection } from '../feed/selection.ts'
import type { Handler } from '../handler.ts'

const MOST = 20

export const createWebhook: Handler<'createWebhook'> = async (
  ctx,
  { url, kinds, filters, matches, min_relevance },
) => {
  checkAddress(ctx, url)
  await prepareAll(ctx, [toSelection({ matches, min_relevance })])
  const { last: position } = await ctx.app.feed.number(ctx)
  const id = ctx.mintedIds?.[0] ?? mintId()
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const webhook = {
    id,
    url,
    kinds: kinds ?? null,
    filters: filters === undefined ? null : JSON.stringify(filters),
    matches: matches ?? null,
    min_relevance: min_relevance ?? null,
    secret,
    position,
  }
  const created = await store.createWebhook(ctx, webhook, MOST)
  if (!created) throw new ServiceError('too_many_webhooks', `The tenant ${ctx.tenant} has ${MOST} webhooks.`)
  return { ...created, secret }
}

/** What can be seen of an address without a look-up. Names are looked up at each connection. */
function checkAddress({ app }: Context, url: string) {
  const { hostname, username, password } = new URL(url)
  if (username !== '' || password !== '')
    throw invalid('/url', 'has_credentials', 'must not contain a user or a password')
  const address = hostname === 'localhost' ? '127.0.0.1' : addressOf(hostname)
  if (address !== undefined && !app.addresses.permits(address))
    throw invalid(
      '/url',
      'private_address',
      'must not be a private address. The operator can allow its network with SERVICE_WEBHOOK_NETWORKS',
    )
}

export const listWebhooks: Handler<'listWebhooks'> = async ctx => ({
  webhooks: await store.listWebhooks(ctx),
})

export const deleteWebhook: Handler<'deleteWebhook'> = async (ctx, { id }) => {
  if (!(await store.deleteWebhook(ctx, id))) throw noWebhook(id)
  return { id, deleted: true }
}

export const listDeliveries: Handler<'listDeliveries'> = async (ctx, { id, state, before, limit }) => {
  const found = await deliveries.listDeliveries(ctx, id, { state, before }, limit + 1)
  if (!found) throw noWebhook(id)
  const page = found.slice(0, limit)
  return { deliveries: page, next_before: found.length > limit ? (page.at(-1)?.id ?? null) : null }
}

export const redeliver: Handler<'redeliver'> = async (ctx, { id, delivery_id }) => {
  const queued = await deliveries.requeue(ctx, id, delivery_id)
  if (queued === undefined) throw noWebhook(id)
  if (delivery_id !== undefined && queued === 0)
    throw new ServiceError('delivery_not_found', `The webhook has no delivery ${delivery_id}.`)
  return { queued }
}

const noWebhook = (id: string) => new ServiceError('webhook_not_found', `There is no webhook ${id}.`)
