import { afterEach, expect, test } from 'vitest'
import { type Asked, startModelEndpoint } from '../../tools/model-endpoint.ts'
import { fixture } from '../support/fixture.ts'
import { freshTenant, withService } from '../support/service.ts'

const fact = (text: string, other: object = {}) => ({
  text,
  turns: ['t1'],
  kind: 'fact',
  confidence: 0.9,
  holds_from: null,
  holds_until: null,
  supersedes: [],
  ...other,
})

const factOfEach = ({ data }: Asked) => ({
  facts: data.turns.map(({ ref, text }: { ref: string; text: string }) =>
    fact(`Ada says ${text}`, { turns: [ref] }),
  ),
})

const model = fixture(() => startModelEndpoint(factOfEach))
const service = withService(() => ({
  settings: {
    SERVICE_MODEL: 'model-of-the-tests',
    SERVICE_MODEL_BASE_URL: model.url,
    SERVICE_MODEL_TIMEOUT_MS: '2000',
  },
}))
afterEach(() => {
  model.recover()
  model.asked.length = 0
})

async function add(tenant: string, session_id: string, texts: readonly string[]) {
  const client = service.clientOf(tenant)
  const turns = texts.map((text, at) => ({
    speaker: 'Ada',
    text,
    time: new Date(Date.UTC(2026, 10, 20, 9, 0, at)).toISOString(),
  }))
  await client.addTurns({ session_id, turns })
  await client.extractFacts({ session_id })
}

async function factsOf(tenant: string) {
  const { memories } = await service.clientOf(tenant).listMemories({ kind: 'fact', limit: 100 })
  return memories.map(({ content }) => content).toSorted()
}

/** The facts of one question with this answer. */
async function factsFrom(text: string) {
  const tenant = freshTenant()
  model.fail([{ text }])
  await add(tenant, 'chat', ['I keep bees'])
  await service.drainModel(tenant)
  return factsOf(tenant)
}

const list = JSON.stringify([fact('Ada keeps bees')])
const answer = `{"facts": ${list}}`

test.each([
  ['prose before it', `Here are the facts {as asked}:\n${answer}`],
  ['prose after it', `${answer}\nI hope that this helps [1].`],
  ['prose and a fence', `Sure!\n\n\`\`\`json\n${answer}\n\`\`\`\nThat is all.`],
  ['thoughts before it', `<think>The user {…} wants [facts].</think>\n${answer}`],
  ['a trailing comma', answer.replace(/]}$/, ',],}')],
  ['single quotes', answer.replaceAll('"', "'")],
  ['a comment', answer.replace('[', '[ // the facts\n')],
  ['a list at the root', list],
  ['a fact at the root', JSON.stringify(fact('Ada keeps bees'))],
  ['another name of the list', `{"result": ${list}}`],
  ['a kind in capitals', answer.replace('"fact"', '"Fact"')],
  ['a confidence in quotes', answer.replace('0.9', '"0.95"')],
  ['a confidence in percent', answer.replace('0.9', '"95%"')],
  ['turns that are no list', answer.replace('["t1"]', '"t1"')],
  ['null in place of a list', answer.replace('"supersedes":[]', '"supersedes":null')],
  ['fields left out', answer.replace(/,"holds_from.*?\[]/, '')],
  ['an odd fact among good ones', `{"facts": [{"text": 7}, "none", ${list.slice(1)}}`],
])('an answer with %s is read', async (_, text) => {
  expect(await factsFrom(text)).toEqual(['Ada keeps bees'])
  expect(model.asked).toHaveLength(1)
})

test('after an answer that was cut, half of the turns are asked for, and none is lost', async () => {
  const tenant = freshTenant()
  const texts = Array.from({ length: 12 }, (_, at) => `fact number ${at + 10}`)
  const cut = { text: '{"facts": [{"text": "half a', cut: true }
  model.failWhere(({ data }) => (data.turns?.length > 3 ? cut : undefined))
  await add(tenant, 'chat', texts)
  await service.drainModel(tenant)
  expect(await factsOf(tenant)).toEqual(texts.map(text => `Ada says ${text}`))
})

test('of an answer about one turn that was cut, what can be read is kept', async () => {
  const tenant = freshTenant()
  model.fail([{ text: `${answer.slice(0, -2)}, {"text": "half a`, cut: true }])
  await add(tenant, 'chat', ['I keep bees'])
  await service.drainModel(tenant)
  expect(await factsOf(tenant)).toEqual(['Ada keeps bees'])
})

test.each([
  [400, "This model's maximum context length is 8192 tokens. However, your messages have 9000 tokens."],
  [400, 'prompt is too long: 210000 tokens > 200000 maximum'],
  [413, 'Request Entity Too Large'],
  [422, '`inputs` tokens + `max_new_tokens` must be <= 4096'],
])(
  'a question that is too long (%s) is asked once in its form, then with fewer turns',
  async (status, says) => {
    const tenant = freshTenant()
    model.failWhere(({ data }) => (data.turns?.length > 1 ? { status, says } : undefined))
    await add(tenant, 'chat', ['one', 'two'])
    await service.drainModel(tenant)
    expect(await factsOf(tenant)).toEqual(['Ada says one', 'Ada says two'])
    expect(model.asked.map(({ data }) => data.turns.length)).toEqual([2, 1, 1])
    for (const { body } of model.asked) expect(JSON.stringify(body)).toContain('json_schema')
  },
)

test('a refusal that names no form changes the form of that question alone', async () => {
  model.fail([{ status: 400, says: 'Bad request' }])
  const [first, tenant] = [freshTenant(), freshTenant()]
  await add(first, 'chat', ['one'])
  await service.drainModel(first)
  expect(await factsOf(first)).toEqual(['Ada says one'])
  await add(tenant, 'chat', ['two'])
  await expect
    .poll(async () => {
      await service.drainModel(tenant)
      return factsOf(tenant)
    })
    .toEqual(['Ada says two'])
  expect(JSON.stringify(model.asked.at(-1)?.body)).toContain('max_completion_tokens')
})

test('a session without an answer holds up no other session, and no other tenant', async () => {
  const [tenant, other] = [freshTenant(), freshTenant()]
  model.failWhere(({ data }) => {
    const { text } = data.turns?.[0] ?? {}
    return text === 'useless' ? { text: 'Sorry, I cannot' } : text === 'slow' ? 'silent' : undefined
  })
  for (const session of ['useless', 'slow']) await add(tenant, session, [session])
  for (let at = 0; at < 4; at++) await add(tenant, `useless ${at}`, ['useless'])
  await service.drainModel(tenant)
  await add(tenant, 'good', ['she keeps bees'])
  await add(other, 'good', ['Ben keeps goats'])
  await service.drainModel(tenant)
  await service.drainModel(other)
  expect(await factsOf(tenant)).toEqual(['Ada says she keeps bees'])
  expect(await factsOf(other)).toEqual(['Ada says Ben keeps goats'])
})

test('a model that wants a payment says so in the job', async () => {
  const tenant = freshTenant()
  model.fail([{ status: 402, says: 'Insufficient credits' }])
  await add(tenant, 'chat', ['one'])
  await service.drainModel(tenant)
  const { jobs } = await service.clientOf(tenant).listJobs({ kind: 'extract' })
  expect(jobs[0]?.last_error).toContain('the model wants a payment: check the balance')
})
