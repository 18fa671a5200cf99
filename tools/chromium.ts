import { chromium } from 'playwright-core'
import { CHROMIUM_MISSING, findChromium } from '../scripts/chromium.mjs'

/** Opens the machine's Chromium without a window. Root cannot use its sandbox, as in most containers. */
export const openBrowser = () => chromium.launch(found())

/** The same for several processes, which connect with it. */
export const serveBrowser = () => chromium.launchServer(found())

function found() {
  const executablePath = findChromium()
  if (!executablePath) throw new Error(CHROMIUM_MISSING)
  return { executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] }
}
