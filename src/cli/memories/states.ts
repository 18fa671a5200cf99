import type { Client } from '../../client.ts'
import { callCommand } from '../shell/call.ts'
import { AN_ID, UsageError } from '../shell/command.ts'

const someIds = (words: readonly string[]) => {
  if (words.length === 0) throw new UsageError('Name at least one memory by its id')
  return words
}

/** One after the other: what was done before a refusal is done. */
async function each<Answer>(ids: readonly string[], one: (id: string) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const id of ids) answers.push(await one(id))
  return answers
}

export const archive = callCommand({
  words: 'ID…',
  summary: 'Archive memories: searches and walks no longer find them',
  examples: [`archive ${AN_ID}`],
  options: {},
  call({ words }) {
    const ids = someIds(words)
    return (client, options) => each(ids, id => client.deleteMemory({ id }, options))
  },
  show: (answers, { note }) => {
    for (const { id } of answers) note(`Archived ${id}. Take it back: mnemograph restore ${id}`)
  },
})

export const restore = callCommand({
  words: 'ID…',
  summary: 'Make archived memories active again',
  examples: [`restore ${AN_ID}`],
  options: {},
  call({ words }) {
    const ids = someIds(words)
    return (client, options) => each(ids, id => client.restoreMemory({ id }, options))
  },
  show: (answers, { note }) => {
    for (const { id, state, valid_until } of answers) {
      note(`${id} is ${state}.`)
      if (valid_until !== null && Date.parse(valid_until) <= Date.now())
        note(`It held until ${valid_until}. To have it found: mnemograph edit ${id} --clear valid-until`)
    }
  },
})

export const deleteCommand = callCommand({
  words: 'ID…',
  aliases: ['rm'],
  summary: 'Remove memories for good, with their connections and history',
  details: 'You cannot undo it. To be able to, use archive.',
  examples: [`delete ${AN_ID} --yes`],
  options: { yes: { short: 'y', describe: 'Really remove them' } },
  call({ values, words }) {
    const ids = someIds(words)
    if (!values.yes) throw new UsageError('Nothing was removed. Removing cannot be undone: repeat with --yes')
    return (client: Client, options) => each(ids, id => client.deleteMemory({ id, hard: true }, options))
  },
  show: (answers, { note }) => {
    for (const { id } of answers) note(`Removed ${id}.`)
  },
})
