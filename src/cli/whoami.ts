import { callCommand } from './shell/call.ts'
import { wordsOf } from './shell/command.ts'

export const whoami = callCommand({
  summary: 'See which tenant and key the commands use, and what the key may do',
  examples: ['whoami'],
  options: {},
  call({ words }) {
    wordsOf(words)
    return (client, options) => client.getAccess({}, options)
  },
  show({ tenant, key_id, operator, scopes }, { say }) {
    say(`tenant  ${tenant}`)
    say(`key     ${key_id ?? '–'}`)
    say(`may     ${scopes.join(', ')}${operator ? ', in every tenant' : ''}`)
  },
})
