import { expect, test } from 'vitest'
import { rememberIds } from '../support/seed.ts'
import { withService } from '../support/service.ts'
import { beforeFirst } from '../support/statements.ts'

const service = withService()

test.each(['/export', '/graph/export?format=graphml'])(
  '%s ends unfinished when its key is revoked in the meantime',
  async path => {
    const { client } = service.newTenant()
    const [source_id = '', target_id = ''] = await rememberIds(client, ['a cat', 'a truck'])
    await client.createConnection({ source_id, target_id, relationship_type: 'supports' })
    const { id, key } = await client.createKey({ scopes: ['read', 'write', 'delete', 'admin'] })
    const read = async () => {
      const response = await fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${key}` } })
      return { status: response.status, text: await response.text() }
    }
    const whole = await read()
    expect(whole.status).toBe(200)
    expect(whole.text.toLowerCase()).toContain('supports')
    beforeFirst(service, 'r:RELATED_TO]->()', () => client.deleteKey({ id }))
    await expect(read()).rejects.toThrow('terminated')
    expect((await read()).status).toBe(401)
  },
)
