import { getPriority, platform, setPriority } from 'node:os'

/** Below what else the process does, above what an idle machine does. */
const BEHIND = 10

/** Lets the other threads of the process go first. Only on Linux does a thread have a priority of its own. */
export function giveWay(): void {
  if (platform() === 'linux') setPriority(Math.max(BEHIND, getPriority()))
}
