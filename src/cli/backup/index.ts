import type { Group } from '../shell/command.ts'
import { create } from './create.ts'
import { restore } from './restore.ts'
import { verify } from './verify.ts'

export const backup: Group = {
  summary: 'Back up all tenants while the service runs, and restore them',
  actions: { create, verify, restore },
}
