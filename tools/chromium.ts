import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** A Chromium on this machine; undefined where there is none. */
export const browserPath = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap(folder => names.map(name => join(folder, name)))
  .find(path => existsSync(path))

/** Opens it without a window. Its own sandbox is not possible for root, as in most containers. */
export const openBrowser = () =>
  chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox', '--disable-dev-shm-usage'] })
