import type { Client } from '@modelcontextprotocol/client'
import { beforeAll, expect, test } from 'vitest'
import { connectBridge } from '../support/bridge.ts'
import { connectHttp, kinds } from '../support/mcp.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, startService, withService } from '../support/service.ts'

const [, initialize, modern] = kinds

const service = withService()
let id: string
beforeAll(async () => {
  const [memory] = await remember(service.client, ['the kettle is red'])
  id = memory?.id as string
})

const ways = { HTTP: connectHttp, 'the bridge': connectBridge }

test.each(['HTTP', 'the bridge'] as const)(
  'a client over %s hears of changes in its tenant and of none in another, until the service stops',
  async way => {
    const otherTenant = freshTenant()
    await using stack = new AsyncDisposableStack()
    const next = stack.use(await startService())
    const enter = async (tenant: string) => {
      const client = (await ways[way](modern, { ...next, tenant })) as unknown as Client
      return stack.adopt(client, each => each.close())
    }
    const clients = [await enter(service.tenant), await enter(otherTenant)]
    const heard = clients.map(client => listenTo(client))
    const subscriptions = await Promise.all(
      clients.map(client =>
        client.listen({ resourcesListChanged: true, resourceSubscriptions: [`memory://${id}`] }),
      ),
    )
    await service.client.updateMemory({ id, content: `the kettle is blue, says ${way}` })
    await expect.poll(() => heard[0]).toEqual(expect.arrayContaining([`memory://${id}`, 'list']))
    await remember(service.clientOf(otherTenant), ['what another tenant stores'])
    await expect.poll(() => heard[1]).toEqual(['list'])
    await next[Symbol.asyncDispose]()
    expect(await Promise.all(subscriptions.map(({ closed }) => closed))).toEqual(['graceful', 'graceful'])
  },
)

test('a client that begins with initialize is not promised notices that it could not receive', async () => {
  const client = (await connectHttp(initialize, service)) as unknown as Client
  expect(client.getServerCapabilities()?.resources).toEqual({})
  await client.close()
})

function listenTo(client: Client): string[] {
  const heard: string[] = []
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void heard.push(params.uri),
  )
  client.setNotificationHandler('notifications/resources/list_changed', () => void heard.push('list'))
  return heard
}
