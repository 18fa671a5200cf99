import { expect, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { withService } from '../support/service.ts'

const service = withService()

test.each([
  'limit=1',
  'limit=200',
  'order_by=health&order=asc',
  'include_archived=true',
  'include_archived=false',
  'state=archived',
  'tags=a,b',
  'tags=a&tags=b,c',
  'tags=caf%C3%A9',
  'tags_match=any',
  'min_importance=0',
  'max_importance=0.50',
  'created_after=2020-01-01T00:00:00Z',
  'created_before=2020-01-01T01:00:00.5%2B01:00',
  'created_after=2020-01-01',
  'created_after=2020-01-01T00:00',
  'created_after=2020-01-01T00:00:00.5',
  'created_after=2020-01-01%2000:00:00',
  'created_after=2020-01-01t00:00:00z',
  'valid_at=2020-01-01',
  'updated_after=0001-01-01T00:00:00Z',
  'updated_before=9999-12-31T23:59:59.999Z',
  '%6Cimit=5',
  '',
])('a list can be asked for with ?%s', async query => {
  const response = await service.request(`/memories?${query}`)
  expect(response.status, await response.text()).toBe(200)
})

test.each([
  ['limit=0', '/limit'],
  ['limit=201', '/limit'],
  ['limit=-1', '/limit'],
  ['limit=1.5', '/limit'],
  ['limit=1e2', '/limit'],
  ['limit=0x10', '/limit'],
  ['limit=', '/limit'],
  ['limit=%2010', '/limit'],
  ['limit=+10', '/limit'],
  ['limit=NaN', '/limit'],
  ['limit=Infinity', '/limit'],
  ['limit=٣', '/limit'],
  ['limit=99999999999999999999', '/limit'],
  ['limit=1&limit=2', '/limit'],
  ['limit[]=1', '/limit[]'],
  ['limit[a]=1', '/limit[a]'],
  ['order=ASC', '/order'],
  ['order_by=content', '/order_by'],
  ['order_by=created_at&order_by=health', '/order_by'],
  ['include_archived=1', '/include_archived'],
  ['include_archived=TRUE', '/include_archived'],
  ['include_archived=', '/include_archived'],
  ['include_archived', '/include_archived'],
  ['include_archived=true&include_archived=true', '/include_archived'],
  ['state=deleted', '/state'],
  ['tags=', '/tags/0'],
  ['tags=a,,b', '/tags/1'],
  ['tags=%00', '/tags/0'],
  ['tags_match=some', '/tags_match'],
  ['min_importance=2', '/min_importance'],
  ['max_importance=-0.1', '/max_importance'],
  ['created_after=yesterday', '/created_after'],
  ['created_after=2020-01-01T00:00:00+01:00', '/created_after'],
  ['created_after=2020-02-30', '/created_after'],
  ['created_after=2020-01', '/created_after'],
  ['created_after=01.02.2020', '/created_after'],
  ['created_after=2020-13-01T00:00:00Z', '/created_after'],
  ['updated_before=1577836800', '/updated_before'],
  ['policy=', '/policy'],
  ['colour=red', '/colour'],
  ['Limit=1', '/Limit'],
  ['__proto__=1', '/__proto__'],
  ['constructor=1', '/constructor'],
  ['toString=1', '/toString'],
  ['=1', '/'],
])('a list cannot be asked for with ?%s', async (query, pointer) => {
  const document = await expectProblem(await service.request(`/memories?${query}`), 'validation_failed')
  expect(new Set(document.errors?.map(fault => fault.pointer))).toEqual(new Set([pointer]))
})

test('fifty-one tags are too many in a query as well', async () => {
  const response = await service.request(`/memories?tags=${Array(51).fill('a').join()}`)
  expect((await expectProblem(response, 'validation_failed')).detail).toContain('50')
})

test('the answer to a limit above its maximum names the bound', async () => {
  const response = await service.request('/memories?limit=201')
  expect((await expectProblem(response, 'validation_failed')).detail).toContain('200')
})
