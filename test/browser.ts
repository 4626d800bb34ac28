import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { afterAll } from 'vitest'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium']
// Its own errands would look like requests of the page.
const QUIET = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']

/** Chromium of this machine; CHROMIUM_PATH names another. Closed when the test file ends. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? PLACES.find((path) => existsSync(path))
  if (!executablePath) throw new Error('This test needs Chromium: install it, or name it as CHROMIUM_PATH.')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...QUIET] })
  afterAll(() => browser.close())
  return browser
}
