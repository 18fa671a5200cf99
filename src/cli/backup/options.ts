import { connectionOptions } from '../shell/connect.ts'

export const backupOptions = {
  ...connectionOptions,
  tenant: { value: 'NAME', describe: 'Only this tenant (default: all)' },
} as const
