/** An agent of the Vercel AI SDK whose model reads and writes memories as tools: `node agent.mjs "Who books the train?"`. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createClient } from '@mnemograph/client'
import { memoryTools } from '@mnemograph/client/ai-sdk'
import { generateText, stepCountIs } from 'ai'

const { MNEMOGRAPH_URL, MNEMOGRAPH_KEY, OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL } = process.env

const client = createClient({ baseUrl: `${MNEMOGRAPH_URL}/api/v1`, apiKey: MNEMOGRAPH_KEY })
const provider = createOpenAICompatible({ name: 'models', baseURL: OPENAI_BASE_URL, apiKey: OPENAI_API_KEY })

const { text } = await generateText({
  model: provider(OPENAI_MODEL),
  system: 'Look into your memory before you answer. Remember what the user tells you to remember.',
  prompt: process.argv[2],
  tools: memoryTools(client),
  stopWhen: stepCountIs(5),
})
console.log(text)
