import { execFile } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { folderWithClient } from '../support/packed-client.ts'
import { adapterPackages, pythonWith } from '../support/python.ts'
import { type Reply, startModel } from '../support/scripted-model.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const run = promisify(execFile)
const service = withService()
const { python, reason } = pythonWith(...adapterPackages)
const noPython = python ? '' : `: ${reason}`
const FACT = 'Ben books the train'
const QUESTION = 'Who books the train?'

let folder: string
beforeAll(async () => {
  folder = (await folderWithClient(['zod', 'ai', '@ai-sdk', '@langchain'])).folder
})

/** Runs an example as its page says, and answers what it printed and what its model was asked. */
async function play(example: string, words: readonly string[], key: string, script: readonly Reply[]) {
  await using model = await startModel(script)
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: 'clients/python/src',
    PYTHONDONTWRITEBYTECODE: '1',
    MNEMOGRAPH_URL: service.url,
    MNEMOGRAPH_KEY: key,
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: 'of-the-tests',
    OPENAI_MODEL: 'scripted',
  }
  const file = `examples/${example}`
  const { stdout } = example.endsWith('.py')
    ? await run(python as string, [file, ...words], { env })
    : await run(process.execPath, [hereToo(file), ...words], { env })
  return { printed: stdout.trim(), asked: model.requests.map(request => JSON.stringify(request)) }
}

/** Where its packages are. */
function hereToo(file: string): string {
  const copy = join(folder, basename(file))
  copyFileSync(file, copy)
  return copy
}

const keyOf = async () => (await service.client.createKey({ tenant: freshTenant() })).key

test('the agent of the AI SDK stores in one run and recalls in the next', async () => {
  const key = await keyOf()
  const told = [{ tool: ['create_memory', { content: FACT }] as [string, object] }, { text: 'Noted.' }]
  expect((await play('vercel-ai-sdk/agent.mjs', [`${FACT}. Remember that.`], key, told)).printed).toBe(
    'Noted.',
  )
  const asked = [{ tool: ['compose_context', { query: QUESTION }] as [string, object] }, { text: 'Ben.' }]
  const next = await play('vercel-ai-sdk/agent.mjs', [QUESTION], key, asked)
  expect(next.printed).toBe('Ben.')
  expect(next.asked.at(-1)).toContain(FACT)
})

const graphs = ['langgraph-js/agent.mjs', 'python/langgraph_agent.py']
const chains = ['langchain-js/answer.mjs', 'python/langchain_answer.py']
const isMissing = (example: string) => example.endsWith('.py') && !python

test.for(graphs)(`%s keeps what it was told for the next run${noPython}`, async (example, context) => {
  if (isMissing(example)) return context.skip()
  const key = await keyOf()
  const first = await play(example, [FACT], key, [{ text: 'Noted.' }])
  expect(first.printed).toBe('Noted.')
  expect(first.asked[0]).toContain('remember:\\n\\n')
  const next = await play(example, [QUESTION], key, [{ text: 'Ben.' }])
  expect(next.printed).toBe('Ben.')
  expect(next.asked[0]).toContain(`- ${FACT}`)
})

test.for(chains)(`%s answers from memories${noPython}`, async (example, context) => {
  if (isMissing(example)) return context.skip()
  const key = await keyOf()
  await remember(service.clientOf('', key), [FACT])
  const { printed, asked } = await play(example, [QUESTION], key, [{ text: 'Ben.' }])
  expect(printed).toBe('Ben.')
  expect(asked[0]).toContain(`- ${FACT}`)
})

test.skipIf(!python)(`the LlamaIndex example answers from a file${noPython}`, async () => {
  const notes = join(temporaryFolder(), 'notes.txt')
  writeFileSync(notes, `${FACT}\nThe tea is ready\n`)
  const asking = play('python/llama_index_answer.py', [notes, QUESTION], await keyOf(), [{ text: 'Ben.' }])
  const { printed, asked } = await asking
  expect(printed).toBe('Ben.')
  expect(asked[0]).toContain(`- ${FACT}`)
})
