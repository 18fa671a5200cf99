import { command, UsageError } from './shell/command.ts'

export const start = command({
  summary: 'Find or start a Neo4j, and serve',
  details:
    'The settings are read from the environment; docs/reference/settings.md lists them. SIGTERM or Ctrl-C ends it in good order.',
  examples: ['start'],
  words: '',
  options: {},
  async run({ words }) {
    if (words.length > 0) throw new UsageError('start takes no words; its settings are in the environment')
    const { serve } = await import('../serve.ts')
    return serve()
  },
})
