import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { createAddressGuard } from '../../src/platform/public-address.ts'
import { createWebhookSender } from '../../src/platform/webhook-sender.ts'
import { problemOf, withService } from '../support/service.ts'
import { startReceiver } from './receiver.ts'

const service = withService()

/** Ways to name this machine, its network, or the metadata of a cloud. */
const tricks = [
  'http://127.0.0.1/',
  'http://localhost:8080/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://169.254.169.254/latest/meta-data/',
  'http://168.63.129.16/machine',
  'http://10.1.2.3/',
  'http://192.168.0.1/',
  'http://100.100.100.200/',
  'http://0.0.0.0/',
  'http://[fe80::1]/',
]

test.each(tricks)('%s is refused as the address of a webhook', async url => {
  expect(await problemOf(service.client.createWebhook({ url }))).toMatchObject({
    code: 'validation_failed',
    pointers: ['/url'],
    detail: expect.stringContaining('must not be a private address'),
  })
})

test.each([
  ['ftp://app.example/', 'must be an http or https address'],
  ['https://user:secret@app.example/', 'must not contain a user or a password'],
  ['app.example', 'must be an http or https address'],
])('%s is refused, too', async (url, rule) => {
  expect((await problemOf(service.client.createWebhook({ url }))).detail).toContain(rule)
})

const message = { secret: 'whsec_c2VjcmV0', id: 'x', body: '{}' }
const never = new AbortController().signal

test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])(
  'no connection is made to %s, whatever the name says when it is looked up',
  async host => {
    let connections = 0
    await using server = createServer(() => connections++)
    await new Promise<void>(resolve => server.listen(0, resolve))
    const { port } = server.address() as { port: number }
    const sender = createWebhookSender(createAddressGuard([]))
    const sent = await sender.send({ ...message, url: `http://${host}:${port}/` }, never)
    expect(sent.error).toMatch(/^the host has no public address/)
    expect(connections).toBe(0)
  },
)

test('a failure does not tell whether the private network knows a name', async () => {
  const sender = createWebhookSender(createAddressGuard([]))
  const hosts = ['localhost', 'vault.internal.invalid', 'localhost.invalid', '10.0.0.1']
  const told = await Promise.all(
    hosts.map(async host => (await sender.send({ ...message, url: `http://${host}:9/` }, never)).error),
  )
  expect(new Set(told).size).toBe(1)
})

test('a name is refused if one of its addresses is private, and its public ones are answered', async () => {
  const lookUp = (networks: string[], all: boolean) =>
    new Promise(resolve => {
      const { lookup } = createAddressGuard(networks)
      lookup('localhost', { all, family: 4 }, (error, address) => resolve(error?.name ?? address))
    })
  expect(await lookUp([], true)).toBe('PrivateAddress')
  expect(await lookUp(['127.0.0.0/8'], true)).toEqual([{ address: '127.0.0.1', family: 4 }])
  expect(await lookUp(['127.0.0.0/8'], false)).toBe('127.0.0.1')
})

test('a receiver that does not answer is given up after the time, and one whose answer never ends is answered', async () => {
  await using receiver = await startReceiver()
  const sender = createWebhookSender(createAddressGuard(['127.0.0.0/8']), 300)
  receiver.answerWith(() => {})
  expect(await sender.send({ ...message, url: receiver.url }, never)).toMatchObject({
    error: 'the receiver did not answer in time',
  })
  receiver.answerWith(response => response.writeHead(200).write('x'))
  expect(await sender.send({ ...message, url: receiver.url }, never)).toMatchObject({ error: null })
})

test('a receiver that asks for a pause gets it', async () => {
  await using receiver = await startReceiver()
  const sender = createWebhookSender(createAddressGuard(['127.0.0.0/8']))
  receiver.answerWith(response => response.writeHead(429, { 'retry-after': '120' }).end())
  expect(await sender.send({ ...message, url: receiver.url }, never)).toEqual({
    error: 'the receiver answered with status 429',
    retryAfterSeconds: 120,
  })
})
