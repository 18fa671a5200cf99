/** A graph of LangGraph with a long-term store: it recalls, answers, and keeps what it was told. `node agent.mjs "…"` */
import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
import { createClient } from '@mnemograph/client'
import { MemoryStore } from '@mnemograph/client/langgraph'

const { MNEMOGRAPH_URL, MNEMOGRAPH_KEY, OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL } = process.env
const NAMESPACE = ['users', 'ada']

async function ask(prompt) {
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` },
    body: JSON.stringify({ model: OPENAI_MODEL, messages: [{ role: 'user', content: prompt }] }),
  })
  const { choices } = await response.json()
  return choices[0].message.content
}

const State = Annotation.Root({ said: Annotation(), recalled: Annotation(), answer: Annotation() })

const graph = new StateGraph(State)
  .addNode('recall', async ({ said }, { store }) => {
    const items = await store.search(NAMESPACE, { query: said, limit: 5 })
    return { recalled: items.map(({ value }) => `- ${value.text}`).join('\n') }
  })
  .addNode('respond', async ({ said, recalled }) => ({
    answer: await ask(`What you remember:\n${recalled}\n\nThe user says: ${said}`),
  }))
  .addNode('remember', async ({ said }, { store }) => {
    await store.put(NAMESPACE, crypto.randomUUID(), { text: said })
    return {}
  })
  .addEdge(START, 'recall')
  .addEdge('recall', 'respond')
  .addEdge('respond', 'remember')
  .addEdge('remember', END)
  .compile({
    store: new MemoryStore({
      client: createClient({ baseUrl: `${MNEMOGRAPH_URL}/api/v1`, apiKey: MNEMOGRAPH_KEY }),
    }),
  })

const { answer } = await graph.invoke({ said: process.argv[2] })
console.log(answer)
