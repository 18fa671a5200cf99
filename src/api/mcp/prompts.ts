import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import type { Scope } from '../../contract/route.ts'
import { question } from '../../contract/values.ts'
import { check, invoke } from '../../service/index.ts'
import { texts } from './texts.ts'

type Offer = Omit<Prompt, 'name'> & {
  readonly scope: Scope
  /** Returns the text for the model. @throws ServiceError */
  readonly write: (ctx: Context, args: Readonly<Record<string, string>>) => string | Promise<string>
}

/** The prompts in the order in which they are listed. */
export const prompts = {
  remember_session: {
    title: 'Remember this session',
    description: 'Store what this session found out, without storing anything twice.',
    arguments: [{ name: 'focus', description: 'What matters most; everything, if left out.' }],
    scope: 'write',
    write: (
      _ctx,
      { focus },
    ) => `Look back over this session and remember what will matter later${focus ? `, above all: ${focus}` : ''}.

1. Note down facts, decisions with their reasons, preferences and open ends: one in each, in words that make sense on their own, with names and dates instead of “it” and “today”.
2. For each call search_memories. Where it is known already, leave it; where it has changed, call update_memory.
3. Store the rest with create_memories: policy short_term only for what may fade soon; a few tags that you would look for; importance above 0.5 only for what changes how you would act.
4. Connect what belongs together with create_connection: caused_by for reasons, contradicts where a new memory and an old one cannot both hold.
5. Leave out secrets, small talk, and what can be looked up at any time. Report to the user in a few lines what you stored.`,
  },
  recall_for_task: {
    title: 'Recall for a task',
    description: 'Start a task with what is remembered about it.',
    arguments: [{ name: 'task', description: 'What is to be done.', required: true }],
    scope: 'read',
    async write(ctx, args) {
      const { task } = check(z.object({ task: question }), args)
      const remembered = texts.composeContext(await invoke('composeContext', ctx, { query: task }), {
        start: 0,
      })
      return `The task: ${task}

${remembered}

Work on the task. Rely on these memories where they bear on it, name the id of each that you rely on, and say where two contradict each other instead of choosing silently. Call get_memory for one shown by its beginning only, and compose_context again for further questions.`
    },
  },
} as const satisfies Record<string, Offer>

export type PromptName = keyof typeof prompts

export const promptNames = Object.keys(prompts) as PromptName[]

const offerOf = (name: PromptName): Offer => prompts[name]

export const allowedPrompts = (ctx: Context) =>
  promptNames.filter(name => ctx.scopes.has(offerOf(name).scope))

export function listedPrompt(name: PromptName): Prompt {
  const { title, description, arguments: args } = offerOf(name)
  return {
    name,
    ...(title ? { title } : {}),
    ...(description ? { description } : {}),
    ...(args ? { arguments: args } : {}),
  }
}

/** @throws ServiceError like the operations behind it */
export async function writePrompt(
  ctx: Context,
  name: PromptName,
  args: Readonly<Record<string, string>>,
): Promise<GetPromptResult> {
  const { description, write } = offerOf(name)
  const content = { type: 'text' as const, text: await write(ctx, args) }
  return { ...(description ? { description } : {}), messages: [{ role: 'user', content }] }
}
