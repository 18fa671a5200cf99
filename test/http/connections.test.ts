import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { OPERATOR_KEY, withService } from '../support/service.ts'

const service = withService()

test('connections that never send a key do not keep others out', async () => {
  const { hostname, port } = new URL(service.url)
  const idle = Array.from({ length: 600 }, () => connect({ host: hostname, port: Number(port) }))
  for (const socket of idle) socket.on('error', () => {}).write('GET / HTTP/1.1\r\nX-Unfinished: ')
  await expect.poll(() => idle.filter(isClosed).length).toBeGreaterThanOrEqual(340)
  expect((await service.request('/stats')).status).toBe(200)
  for (const socket of idle) socket.destroy()
})

test('a connection over which a valid key came stays open', async () => {
  const { hostname, port } = new URL(service.url)
  const known = connect({ host: hostname, port: Number(port) })
  const ask = async () => {
    const { tenant } = service
    known.write(
      `GET /api/v1/stats HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${OPERATOR_KEY}\r\nX-Tenant-Id: ${tenant}\r\n\r\n`,
    )
    const [answer] = await once(known, 'data')
    return String(answer)
  }
  expect(await ask()).toMatch(/^HTTP\/1.1 200/)
  const idle = Array.from({ length: 300 }, () => connect({ host: hostname, port: Number(port) }))
  for (const socket of idle) socket.on('error', () => {})
  await expect.poll(() => idle.filter(isClosed).length).toBeGreaterThanOrEqual(40)
  expect(await ask()).toMatch(/^HTTP\/1.1 200/)
  for (const socket of [known, ...idle]) socket.destroy()
})

test('websockets that do not authenticate do not lock out subscribers', async () => {
  const address = `${service.url.replace('http', 'ws')}/graphql`
  const silent = Array.from({ length: 400 }, () => new WebSocket(address, 'graphql-transport-ws'))
  for (const socket of silent) socket.on('error', () => {})
  await Promise.all(silent.slice(-100).map(socket => once(socket, 'open')))
  const subscriber = new WebSocket(address, 'graphql-transport-ws', {
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'x-tenant-id': service.tenant },
  })
  await once(subscriber, 'open')
  subscriber.send(JSON.stringify({ type: 'connection_init' }))
  expect(JSON.parse(String((await once(subscriber, 'message'))[0]))).toMatchObject({ type: 'connection_ack' })
  for (const socket of [subscriber, ...silent]) socket.terminate()
})

const isClosed = (socket: Socket) => socket.closed || socket.readyState === 'closed' || socket.readableEnded
