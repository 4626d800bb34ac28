import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { galleryPages } from '../../../test/pages/gallery.ts'
import { watchPolicy } from '../../../test/pages/policy-violations.ts'
import { openBrowser } from '../../../test/peers/browser.ts'
import { recordStatements } from '../../../test/rules/sql-recorder.ts'
import { serve } from '../../../test/walkers/extra-routes.ts'
import { accentColors, contrastOf } from './accent.ts'
import { accentAsset, assetUrl, defineAsset } from './assets.ts'
import { html, writeHtml } from './html.ts'
import { baseStyles, sendForm } from './page-assets.ts'

const app = await startApp()
const IMMUTABLE = 'public, max-age=31536000, immutable'

/** Unlike fetch, it accepts no encoding by itself, and decodes none. */
async function ask(path: string, headers: Record<string, string> = {}) {
  const asked = request(app.baseUrl + path, { headers, agent: false }).end()
  const [reply]: IncomingMessage[] = await once(asked, 'response')
  if (!reply) throw new Error('No answer')
  return { status: reply.statusCode, headers: reply.headers, body: await buffer(reply) }
}

describe('a style sheet or a script', () => {
  test.each([
    [baseStyles, 'text/css; charset=utf-8'],
    [sendForm, 'text/javascript; charset=utf-8'],
    [accentAsset('#2563EB'), 'text/css; charset=utf-8'],
  ])('is served under the hash of its content, compressed, for good', async ({ hashedName, content }, type) => {
    const path = `/assets/${hashedName}`
    const plain = await ask(path)
    expect([plain.status, plain.headers['content-type'], plain.headers['cache-control']]).toEqual([
      200,
      type,
      IMMUTABLE,
    ])
    expect(plain.headers['x-content-type-options']).toBe('nosniff')
    expect(plain.body.equals(content)).toBe(true)
    const small = await ask(path, { 'accept-encoding': 'br, gzip' })
    expect(small.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(small.body).equals(content)).toBe(true)
    const again = await ask(path, { 'if-none-match': String(plain.headers['etag']) })
    expect([again.status, again.body.length]).toEqual([304, 0])
  })

  test('of another version gets the one of this, which is asked for again', async () => {
    const reply = await ask('/assets/base.0123456789abcdef.css')
    expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-cache'])
    expect(reply.body.equals(baseStyles.content)).toBe(true)
  })

  test.each([
    'base.css',
    'base.0123456789abcdef.js',
    'base.0123456789ABCDEF.css',
    'none.0123456789abcdef.css',
    '..%2Fbase.0123456789abcdef.css',
    'accent-12345g.0123456789abcdef.css',
    'accent-2563ebf.0123456789abcdef.css',
    'accent-.0123456789abcdef.css',
    'pages.ts',
  ])('does not exist as %s', async (file) => {
    expect((await ask(`/assets/${file}`)).status).toBe(404)
  })

  test('costs no statement', async () => {
    const texts = await recordStatements(async () => {
      for (const { hashedName } of [baseStyles, sendForm, accentAsset('#2563eb')]) await ask(`/assets/${hashedName}`)
    })
    expect(texts.filter((text) => !text.includes('graphile_worker.'))).toEqual([])
  })

  test('is small', () => {
    expect(sendForm.content.length).toBeLessThan(15 * 1024)
  })

  test('has a name of its own, and one of two types', () => {
    expect(() => defineAsset(new URL('assets/base.css', import.meta.url))).toThrow('Two assets have the name base.css')
    expect(() => defineAsset(new URL('assets.ts', import.meta.url))).toThrow('neither a style sheet nor a script')
  })
})

describe('below a path of a proxy', async () => {
  const browser = await openBrowser()
  const asked: string[] = []
  let target = ''
  // Publishes the service below /id, as a reverse proxy does.
  const proxy = createServer((incoming, reply) => {
    const { url = '', method, headers } = incoming
    asked.push(url)
    if (!url.startsWith('/id/')) return reply.writeHead(404).end()
    const outgoing = request(
      target + url.slice('/id'.length),
      { method, headers: { ...headers, host: 'localhost' } },
      (inner) => {
        reply.writeHead(inner.statusCode ?? 500, inner.headers)
        inner.pipe(reply)
      },
    )
    return incoming.pipe(outgoing)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  afterAll(() => proxy.close())
  const bound = proxy.address()
  const origin = `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`
  const published = await startApp({ env: { WATCHWORD_BASE_URL: `${origin}/id/` } })
  target = await serve(published, galleryPages)

  test.each([
    '/accounts/a/production/gallery/email?accent=%232563eb',
    '/auth/link',
    '/docs',
    '/docs/guides/sign-in/mfa',
    '/docs/search?q=code',
  ])('%s finds its style sheets', async (path) => {
    asked.length = 0
    const page = await browser.newPage({ colorScheme: 'light' })
    const complaints = watchPolicy(page)
    await page.goto(`${origin}/id${path}`)
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(246, 247, 248)')
    const sheets = await page.evaluate('[...document.styleSheets].map((sheet) => sheet.cssRules.length > 0)')
    const files = asked.filter((url) => url.includes('/assets/'))
    expect(sheets).toEqual(files.map((url) => url.startsWith('/id/assets/')))
    expect(files.length).toBeGreaterThan(1)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a refusal finds them too', async () => {
    const page = await browser.newPage({ colorScheme: 'light' })
    const answer = await page.goto(`${origin}/id/auth/link?type=a&type=b`)
    expect(answer?.status()).toBe(400)
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(246, 247, 248)')
    await page.close()
  })

  test('a button has the accent, and text that can be read on it', async () => {
    const page = await browser.newPage({ colorScheme: 'light' })
    const colorsOf = async (accent: string) => {
      await page.goto(`${origin}/id/accounts/a/production/gallery/email?accent=${encodeURIComponent(accent)}`)
      return page.evaluate(
        `(({ backgroundColor, color }) => [backgroundColor, color])(getComputedStyle(document.querySelector('.button')))`,
      )
    }
    expect(await colorsOf('#2563EB')).toEqual(['rgb(37, 99, 235)', 'rgb(255, 255, 255)'])
    expect(await colorsOf('#f97316')).toEqual(['rgb(22, 23, 26)', 'rgb(255, 255, 255)'])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await colorsOf('#f97316')).toEqual(['rgb(249, 115, 22)', 'rgb(0, 0, 0)'])
    await page.close()
  })
})

test('every accent can be read, in light and dark', () => {
  const color = fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, '0')}`)
  fc.assert(
    fc.property(color, fc.constantFrom('light', 'dark'), (accent, scheme) => {
      const { button, label, link } = accentColors(accent, scheme)
      const card = scheme === 'light' ? '#ffffff' : '#1c1d20'
      expect(contrastOf(button, label)).toBeGreaterThanOrEqual(4.5)
      expect(contrastOf(link, card)).toBeGreaterThanOrEqual(4.5)
      expect(contrastOf(button, card)).toBeGreaterThanOrEqual(3)
    }),
    { numRuns: 2000 },
  )
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21)
})

test('the address of an asset is below the root of the service', () => {
  expect(writeHtml(html`<img src="${assetUrl(baseStyles)}" alt="">`, '/id')).toBe(
    `<img src="/id/assets/${baseStyles.hashedName}" alt="">`,
  )
})
