import { callCommand } from './shell/call.ts'
import { wordsOf } from './shell/command.ts'

export const stats = callCommand({
  summary: 'Count the memories, connections and jobs of the tenant',
  examples: ['stats', 'stats --json'],
  options: {},
  call({ words }) {
    wordsOf(words)
    return (client, options) => client.getStats({}, options)
  },
  show({ memories, connections, queue }, { say, paint }) {
    const line = (name: string, value: string) => say(`${paint('bold', name.padEnd(12))}  ${value}`)
    const sums = (counts: Record<string, number>) =>
      Object.entries(counts)
        .filter(([, count]) => count > 0)
        .map(([name, count]) => `${count} ${name}`)
        .join(', ') || '0'
    line('memories', sums(memories.by_state))
    line('policies', sums(memories.by_policy))
    line('connections', `${sums(connections.by_origin)} (${sums(connections.by_type)})`)
    line('queue', `${queue.depth} waiting, ${queue.failed} failed`)
    const { embeddings_pending: missing, embeddings_failed: failed } = memories
    if (missing > failed) line('embeddings', `${missing - failed} still to be made`)
    if (failed > 0) line('embeddings', `${failed} cannot be made; \`mnemograph jobs\` says why`)
  },
})
