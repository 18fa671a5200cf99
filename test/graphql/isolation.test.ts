import type { GraphQLSchema } from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { makeSchema } from '../../src/api/graphql/schema.ts'
import type { RouteName } from '../../src/contract/index.ts'
import { graphql } from '../support/graphql.ts'
import { declared, OWN_ROOTS } from '../support/graphql-contract.ts'
import {
  anonymous,
  answerTo,
  filters,
  inLanes,
  makeTwin,
  plant,
  quarterOf,
  roots,
  selections,
  type Twin,
} from '../support/isolation.ts'
import { operate } from '../support/operate.ts'
import { freshTenant, withService } from '../support/service.ts'
import {
  CANARY,
  createOneOfEach,
  type Names,
  type Probe,
  probes,
  unknownNames,
} from '../support/tenant-probes.ts'

/** Two tenants with the same memories: into the one everything hidden is planted, into the other nothing. */
const service = withService()
let schema: GraphQLSchema
let theirs: Names
let plain: Twin
let planted: Twin
let hidden: string[]
const nobodys = unknownNames()
beforeAll(async () => {
  schema = await makeSchema()
  plain = await twin(freshTenant())
  planted = await twin(service.tenant)
  const other = freshTenant()
  theirs = await createOneOfEach(service.clientOf(other), other)
  hidden = await plant(service, service.client, planted, theirs)
})

const twin = (tenant: string) => makeTwin(service, service.clientOf(tenant), { tenant })

test('every root field has its row', () => {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap(type =>
    Object.keys(type?.getFields() ?? {}),
  )
  // subscriptions.test.ts and standing.test.ts cover subscriptions.
  expect(Object.keys(schema.getSubscriptionType()?.getFields() ?? {})).toEqual(['changes', 'memoryMatches'])
  expect(fields.toSorted()).toEqual([...declared, ...OWN_ROOTS].toSorted())
})

test('what others have, what is archived and what has expired changes no answer, whatever is planted', async () => {
  await inLanes([...selections(schema), ...filters(schema), ...roots(theirs)], async question => {
    const [bare, answer] = [
      await answerTo(service, question, plain),
      await answerTo(service, question, planted),
    ]
    expect(answer, question(planted)).toBe(bare)
    for (const id of hidden) expect(answer).not.toContain(id)
  })
})

test('with archived memories asked for, those show and no others', async () => {
  await inLanes(quarterOf(selections(schema)), async question => {
    const { text, errors } = await graphql(service, `query @includeArchived ${question(planted)}`)
    expect(errors).toEqual([])
    expect(text).not.toContain(CANARY)
    expect(text).not.toContain('has expired')
  })
  const { text } = await graphql(
    service,
    `query @includeArchived { memories(where: { id: { eq: "${planted.ids[0]}" } }) { supports { content } } }`,
  )
  expect(text).toContain('is archived')
})

test.each(declared)(
  '%s answers the same for what is of another tenant and for what is nowhere',
  async name => {
    const ours = { ...nobodys, tenant: service.tenant, memory: planted.ids[0], other: planted.ids[1] }
    const unknown = probes[name](nobodys, ours) as Probe<RouteName>[]
    for (const [at, { input }] of (probes[name](theirs, ours) as Probe<RouteName>[]).entries()) {
      const answer = await operate(service, schema, name, input)
      const reference = await operate(service, schema, name, (unknown[at] as Probe<RouteName>).input)
      expect(anonymous(answer, theirs, nobodys)).toBe(anonymous(reference, theirs, nobodys))
      if (!JSON.stringify(input).includes(CANARY)) expect(answer).not.toContain(CANARY)
    }
  },
)
