import { expect, test } from 'vitest'
import { bundleLines, memoryLine } from '../../tools/bundle-lines.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()

test('an import by REST leaves out what another memory says already, and says so', async () => {
  const client = service.clientOf(freshTenant())
  const { id } = await client.createMemory(someMemory({ content: 'The same text', source: 'here' }))
  const line = memoryLine({ content: 'The same  text', source: 'here' })
  const lines = bundleLines([line])
  expect(await client.importBundle({ lines })).toMatchObject({
    done: true,
    duplicates: [{ id: line.id, duplicate_of: id }],
    totals: { memories: { created: 0, kept: 1 } },
  })
  expect(await client.importBundle({ lines, on_duplicate: 'store' })).toMatchObject({
    totals: { memories: { created: 1 } },
  })
  const replaced = service.clientOf(freshTenant())
  await replaced.createMemory(someMemory({ content: 'The same text', source: 'here' }))
  expect(await replaced.importBundle({ lines, mode: 'replace' })).toMatchObject({
    totals: { memories: { created: 1, removed: 1 } },
  })
})
