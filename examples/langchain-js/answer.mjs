/** A chain of LangChain that answers from memories: `node answer.mjs "Who books the train?"`. */
import { StringOutputParser } from '@langchain/core/output_parsers'
import { PromptTemplate } from '@langchain/core/prompts'
import { RunnableLambda, RunnablePassthrough, RunnableSequence } from '@langchain/core/runnables'
import { createClient } from '@mnemograph/client'
import { MemoryRetriever } from '@mnemograph/client/langchain'

const { MNEMOGRAPH_URL, MNEMOGRAPH_KEY, OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL } = process.env

/** Any chat model of LangChain fits here. */
const model = RunnableLambda.from(async prompt => {
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` },
    body: JSON.stringify({
      model: OPENAI_MODEL,
      messages: [{ role: 'user', content: prompt.toString() }],
    }),
  })
  const { choices } = await response.json()
  return choices[0].message.content
})

const client = createClient({ baseUrl: `${MNEMOGRAPH_URL}/api/v1`, apiKey: MNEMOGRAPH_KEY })
const memories = new MemoryRetriever({ client, search: { limit: 5 } })
const chain = RunnableSequence.from([
  {
    memories: memories.pipe(found => found.map(({ pageContent }) => `- ${pageContent}`).join('\n')),
    question: new RunnablePassthrough(),
  },
  PromptTemplate.fromTemplate('What you remember:\n{memories}\n\nAnswer in one sentence: {question}'),
  model,
  new StringOutputParser(),
])
console.log(await chain.invoke(process.argv[2]))
