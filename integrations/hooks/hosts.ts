import { homedir } from 'node:os'
import { join } from 'node:path'

/** Hosts whose events a hook of ours hears. */
export const hookHosts = ['claude-code', 'codex', 'cursor'] as const
export type HookHost = (typeof hookHosts)[number]

export type HostHooks = {
  /** Where the host reads its hooks, for all projects or for one. */
  readonly file: (folder: string | undefined) => string
  /** The events that run the hook. */
  readonly events: readonly string[]
  /** One entry of an event in that file. */
  readonly entry: (command: string) => object
  /** What else the file must have. */
  readonly besides?: object
}

/** A start should not wait long for a service that is away. */
const TIMEOUT_S = 30

const inGroup = (command: string) => ({ hooks: [{ type: 'command', command, timeout: TIMEOUT_S }] })

/** What the hosts document. */
export const hostHooks: Readonly<Record<HookHost, HostHooks>> = {
  'claude-code': {
    file: folder => join(folder ?? homedir(), '.claude', 'settings.json'),
    events: ['SessionStart', 'PreCompact', 'Stop', 'SessionEnd'],
    entry: inGroup,
  },
  codex: {
    file: folder => join(folder ?? homedir(), '.codex', 'hooks.json'),
    events: ['SessionStart', 'PreCompact', 'Stop'],
    entry: inGroup,
  },
  cursor: {
    file: folder => join(folder ?? homedir(), '.cursor', 'hooks.json'),
    events: ['sessionStart', 'beforeSubmitPrompt', 'afterAgentResponse'],
    entry: command => ({ command, timeout: TIMEOUT_S }),
    besides: { version: 1 },
  },
}
