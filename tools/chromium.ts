import { chromium } from 'playwright-core'
import { CHROMIUM_MISSING, findChromium } from '../scripts/chromium.mjs'

/** Opens the machine's Chromium without a window. Root cannot use its sandbox, as in most containers. */
export function openBrowser() {
  const executablePath = findChromium()
  if (!executablePath) throw new Error(CHROMIUM_MISSING)
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
