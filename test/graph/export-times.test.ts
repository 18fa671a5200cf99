import { expect, test } from 'vitest'
import { bundleLines, connectionLine, imported, memoryLine } from '../../tools/bundle-lines.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()
const TO_COME = '2093-01-01T00:00:00.000Z'

test('a graph export has memories and connections that were imported with times to come', async () => {
  const client = service.clientOf(freshTenant())
  const { id: now } = await client.createMemory(someMemory({ content: 'made now' }))
  const times = { created_at: TO_COME, updated_at: TO_COME }
  const [one, other] = [memoryLine({ ...times, content: 'one' }), memoryLine({ ...times, content: 'other' })]
  await imported(client, bundleLines([one, other, connectionLine(one.id, other.id, { created_at: TO_COME })]))
  let text = ''
  for await (const piece of (await client.exportGraph({ format: 'ndjson' })).pieces) text += piece
  for (const id of [now, one.id, other.id]) expect(text).toContain(`"id":"${id}"`)
  expect(text).toContain(`"target_id":"${other.id}"`)
})
