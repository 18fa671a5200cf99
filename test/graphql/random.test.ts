import { expect, test } from 'vitest'
import { makeSchema } from '../../src/api/graphql/schema.ts'
import { graphql } from '../support/graphql.ts'
import { randomOperations } from '../support/random-graphql.ts'
import { runs, seedOfRun } from '../support/runs.ts'
import { rememberIds } from '../support/seed.ts'
import { withService } from '../support/service.ts'

const service = withService()

test(`no random operation of the schema is a fault of the service (seed ${seedOfRun})`, {
  timeout: runs(60_000),
}, async () => {
  const ids = await rememberIds(service.client, ['cat', 'dog', 'train'])
  await service.client.createConnection({ source_id: ids[0] as string, target_id: ids[1] as string })
  const { next } = randomOperations(await makeSchema(), ids, seedOfRun)
  for (let at = 0; at < runs(100); at++) {
    const { query, variables } = next()
    const { status, errors } = await graphql(service, query, { variables })
    const faults = errors.filter(({ extensions }) => extensions.code === 'INTERNAL_ERROR')
    expect({ status: status < 500, faults }, `${query} ${JSON.stringify(variables)}`).toEqual({
      status: true,
      faults: [],
    })
  }
})
