import type { CommandGroup } from '../shell/command.ts'
import { install, uninstall } from './install.ts'
import { run } from './run.ts'

export const hooks: CommandGroup = {
  summary: 'Let the hosts of agents remember by themselves',
  actions: { install, uninstall, run },
}
