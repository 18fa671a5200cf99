import type { CommandGroup } from '../shell/command.ts'
import { createBackup } from './create.ts'
import { restore } from './restore.ts'
import { verify } from './verify.ts'

export const backup: CommandGroup = {
  summary: 'Back up all tenants while the service runs, and restore them',
  actions: { create: createBackup, verify, restore },
}
