import { command, oneOf, UsageError } from './shell/command.ts'
import { entriesOf, type Sections } from './shell/program.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** A command that prints what a shell needs to complete the others. */
export const completion = (sections: () => Sections) =>
  command({
    word: ['SHELL', `one of ${SHELLS.join(', ')}`],
    summary: 'Print the completion for bash, zsh or fish',
    examples: [
      'completion bash >> ~/.bashrc',
      'completion zsh >> ~/.zshrc',
      'completion fish > ~/.config/fish/completions/mnemograph.fish',
    ],
    options: {},
    async run({ word }, terminal) {
      const shell = oneOf(SHELLS, word, 'The shell')
      if (!shell) throw new UsageError(`Name one of ${SHELLS.join(', ')}`)
      terminal.say(scripts[shell](wordsAfter(sections())))
      return undefined
    },
  })

/** For each command what can follow it: its actions or its options. */
const wordsAfter = (sections: Sections): [name: string, summary: string, words: string[]][] =>
  Object.entries(entriesOf(sections)).map(([name, entry]) => [
    name,
    entry.summary,
    'actions' in entry
      ? Object.keys(entry.actions)
      : [...Object.keys(entry.options), 'help'].map(option => `--${option}`),
  ])

type Words = ReturnType<typeof wordsAfter>

/** Bash passes the word that is being typed as the second argument. */
const bash = (words: Words) =>
  [
    '_mnemograph() {',
    '  local words command=$' + '{COMP_WORDS[1]}',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${words.map(([name]) => name).join(' ')}"`,
    '  else case "$command" in',
    ...words.map(([name, , after]) => `    ${name}) words="${after.join(' ')}" ;;`),
    '  esac; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$2"))',
    '}',
    'complete -o default -F _mnemograph mnemograph',
  ].join('\n')

const zsh = (words: Words) => `autoload -Uz bashcompinit && bashcompinit\n${bash(words)}`

const fish = (words: Words) =>
  words
    .flatMap(([name, summary, after]) => [
      `complete -c mnemograph -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", "\\'")}'`,
      ...after.map(word =>
        word.startsWith('--')
          ? `complete -c mnemograph -n '__fish_seen_subcommand_from ${name}' -l ${word.slice(2)}`
          : `complete -c mnemograph -n '__fish_seen_subcommand_from ${name}' -a ${word}`,
      ),
    ])
    .join('\n')

const scripts = { bash, zsh, fish }
