import { beforeEach, describe, expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { openBrowser } from '../../../test/peers/browser.ts'
import { serve } from '../../../test/walkers/extra-routes.ts'
import { httpErrors } from '../errors.ts'
import type { Fields } from '../http/media.ts'
import type { RequestContext } from '../http/route.ts'
import type { Brand } from '../mail/brand.ts'
import { renderPage } from './card.ts'
import { form } from './form.ts'
import { type Html, html } from './html.ts'
import { definePage } from './pages.ts'
import { paragraph } from './parts.ts'
import { PAGE_POLICY } from './policy.ts'

const BRAND: Brand = { name: 'Acme <b>', logoUrl: null, supportEmail: 'help@acme.example', accentColor: null }
const LOGO = 'https://cdn.example.com/logo.png'
const FORM = 'application/x-www-form-urlencoded'

/** The forms that were submitted to the test pages. */
const submitted: { form: Fields; work: RequestContext }[] = []
const seen: { params: Fields; query: Fields }[] = []
let leadsTo: string | null = null
beforeEach(() => {
  submitted.length = 0
  seen.length = 0
  leadsTo = null
})

function formOf(query: Fields, error?: string): Html {
  return html`${paragraph('Choose a password for ada@example.com.')}${form({
    fields: [
      { kind: 'hidden', name: 'token', value: query['token'] ?? '' },
      {
        kind: 'text',
        name: 'email',
        label: 'E-mail',
        value: 'ada@example.com',
        autocomplete: 'username',
        readOnly: true,
      },
      {
        kind: 'password',
        name: 'password',
        label: 'New password',
        hint: 'At least 8 characters.',
        minLength: 8,
        ...(error === undefined ? {} : { error }),
      },
    ],
    button: 'Set password',
  })}`
}

const hosted = definePage({
  path: '/test/hosted/{id}',
  summary: 'A page',
  async render(_work, params, query) {
    seen.push({ params, query })
    const brand = query['logo'] ? { ...BRAND, logoUrl: LOGO } : BRAND
    return params['id'] === 'none'
      ? null
      : renderPage({ brand, language: 'en', title: 'New password', body: formOf(query), leadsTo })
  },
  async submit(work, { id }, form) {
    submitted.push({ form, work })
    if (form['password'] === 'refused')
      throw httpErrors.rateLimited({ detail: 'Try again in <b>9</b> s.', headers: { 'retry-after': '9' } })
    if (form['password'] === 'broken') throw new Error('canary-5d1f')
    if (form['password'] === 'hostile') return { redirectTo: 'javascript:alert(1)' }
    if (id === 'elsewhere') return { redirectTo: form['to'] ?? '' }
    const body = formOf(form, 'Too <b>short')
    return renderPage({ brand: BRAND, language: 'en', title: 'New password', status: 422, body })
  },
})
const plain = definePage({ path: '/test/plain', summary: 'Another', render: async () => html`<p>plain</p>` })

const service = await startApp()
const base = await serve(service, [...hosted, ...plain])

async function post(path: string, body: string, headers: Record<string, string> = {}) {
  const all = { 'content-type': FORM, ...headers }
  const response = await fetch(base + path, { method: 'POST', body, headers: all, redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('a page', () => {
  test('is shown, and shown again, and does nothing', async () => {
    const urls = ['/test/hosted/7?token=a%20b', '/test/hosted/7?token=a%20b']
    const [first = '', second] = await Promise.all(urls.map(async (url) => (await fetch(base + url)).text()))
    const head = await fetch(`${base}/test/hosted/7?token=a%20b`, { method: 'HEAD' })
    expect([head.status, await head.text(), submitted]).toEqual([200, '', []])
    expect(second).toBe(first)
    expect(seen[0]).toEqual({ params: { id: '7' }, query: { token: 'a b' } })
    expect(first).toContain('Acme &lt;b&gt;')
    expect(first).toContain('<input type="hidden" name="token" value="a b">')
    expect(first).toContain(
      ' autocomplete="new-password" minlength="8" required aria-describedby="field-password-hint">',
    )
    expect(first).not.toMatch(/<script|<b>/)
  })

  test('is framed, cached and fed by nobody', async () => {
    const { headers } = await fetch(`${base}/test/hosted/7`)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    leadsTo = 'https://app.example.com/done?x=1'
    const policy = (await fetch(`${base}/test/hosted/7?logo=1`)).headers.get('content-security-policy')
    expect(policy).toContain("img-src 'self' data: https://cdn.example.com; form-action")
    expect(policy).toContain("form-action 'self' https://app.example.com; ")
  })

  test('allows no host that would add to its policy', () => {
    const brand = { ...BRAND, logoUrl: 'https://cdn.example.com;script-src/logo.png' }
    const { contentSecurityPolicy } = renderPage({
      brand,
      language: 'en',
      title: 'T',
      body: html``,
      leadsTo: 'https://app;frame-src.example/',
    })
    expect(contentSecurityPolicy).toBe(PAGE_POLICY)
  })

  test('that does not exist answers like any unknown address', async () => {
    for (const path of ['/test/hosted/none', '/test/nothing']) {
      const response = await fetch(base + path)
      expect([response.status, JSON.parse(await response.text()).code]).toEqual([404, 'not_found'])
    }
  })

  test('refuses a name that comes twice', async () => {
    const response = await fetch(`${base}/test/hosted/7?token=a&token=b`)
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    expect(seen).toEqual([])
  })
})

describe('a form', () => {
  test('reaches its page, with who sent it', async () => {
    const reply = await post('/test/hosted/7?x=1', 'token=a+b%26&password=%C3%BC%22', { 'user-agent': 'Test/1' })
    expect(submitted).toMatchObject([
      {
        form: { token: 'a b&', password: 'ü"' },
        work: { requestId: reply.headers.get('x-request-id') },
      },
    ])
    expect(submitted[0]?.work.origin.endUser).toEqual({ ip: '127.0.0.1', userAgent: 'Test/1' })
    expect(reply.status).toBe(422)
    expect(reply.text).toContain('<p class="error" id="field-password-error" role="alert">Too &lt;b&gt;short</p>')
    expect(reply.text).not.toContain('ü')
  })

  test('may lead on, to http(s) alone', async () => {
    const reply = await post('/test/hosted/elsewhere', 'to=https%3A%2F%2Fapp.example.com%2Fdone%3Fa%3D1')
    expect([reply.status, reply.headers.get('location')]).toEqual([303, 'https://app.example.com/done?a=1'])
    expect(reply.headers.get('referrer-policy')).toBe('no-referrer')
    expect((await post('/test/hosted/7', 'password=hostile')).status).toBe(500)
  })

  test.each([
    ['a name that comes twice', 'token=a&token=b', {}, 400],
    ['NUL', 'token=a%00', {}, 400],
    ['more than 16 KiB', `token=${'a'.repeat(16 * 1024)}`, {}, 413],
    ['JSON', '{"token":"a"}', { 'content-type': 'application/json' }, 415],
    ['plain text', 'token=a', { 'content-type': 'text/plain' }, 415],
    ['multipart', '--a\r\n\r\n--a--', { 'content-type': 'multipart/form-data; boundary=a' }, 415],
    ['another site', 'token=a', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a neighbour', 'token=a', { 'sec-fetch-site': 'same-site' }, 403],
    ['another origin', 'token=a', { origin: 'https://evil.example' }, 403],
    ['the same host over another scheme’s port', 'token=a', { origin: 'http://127.0.0.1:1' }, 403],
    ['an origin of another site', 'token=a', { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, 403],
  ])('is refused with %s, as a page', async (_, body, headers: Record<string, string>, status) => {
    const reply = await post('/test/hosted/7', body, headers)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
    expect(reply.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
    expect(submitted).toEqual([])
  })

  test.each([
    [{ origin: base }],
    [{ origin: 'http://localhost:4000' }],
    [{ origin: 'null', 'sec-fetch-site': 'same-origin' }],
    [{ 'content-type': `${FORM}; charset=UTF-8`, 'sec-fetch-site': 'none' }],
  ])('is taken from the page itself: %j', async (headers) => {
    const all = Object.fromEntries(Object.entries(headers))
    expect((await post('/test/hosted/7', 'token=a', all)).status).toBe(422)
    expect(submitted).toHaveLength(1)
  })

  test('that is refused says so on a page, with what the refusal says', async () => {
    const refused = await post('/test/hosted/7', 'password=refused')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '9'])
    expect(refused.text).toContain('<h1>Too many requests</h1>')
    expect(refused.text).toContain('Try again in &lt;b&gt;9&lt;/b&gt; s.')
    const broken = await post('/test/hosted/7', 'password=broken')
    expect(broken.status).toBe(500)
    expect(broken.text).toContain(`Error 500, request ${broken.headers.get('x-request-id')}`)
    expect(broken.text).not.toContain('canary-5d1f')
    const failure = service.logLines.find((line) => line.includes('"msg":"Internal error"'))
    expect(JSON.parse(failure ?? '{}')).toMatchObject({ route: '/test/hosted/{id}' })
  })

  test('reaches neither a page without one nor any route of the API', async () => {
    for (const form of ['token=a', '']) {
      const refused = await post('/test/plain', form)
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
      expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8')
    }
    const { key } = await service.tenant()
    for (const path of ['/v1/users', '/api/v1/otp/generate', '/v1/auth/login/otp/send']) {
      const reply = await post(path, 'email=ada%40example.com', { 'x-api-key': key })
      expect([reply.status, JSON.parse(reply.text).code]).toEqual([415, 'unsupported_media_type'])
    }
  })
})

describe('in a browser', async () => {
  const browser = await openBrowser()

  test.each(['light', 'dark'] as const)('fits a phone and is labelled, in %s', async (colorScheme) => {
    const page = await browser.newPage({ viewport: { width: 360, height: 740 }, colorScheme })
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(`${base}/test/hosted/7?token=${'x'.repeat(300)}`)
    await page.getByLabel('New password').fill('longenough')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    const heights = await page.evaluate(
      `[...document.querySelectorAll('input:not([type=hidden]),button')].map((e) => e.offsetHeight)`,
    )
    for (const height of Array.isArray(heights) ? heights : []) expect(height).toBeGreaterThanOrEqual(44)
    expect(heights).toHaveLength(3)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('alert').waitFor()
    expect(new URL(page.url()).search).toBe('')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    expect(submitted.map(({ form }) => form['password'])).toEqual(['longenough'])
    // Chromium logs the status of the response, which is expected.
    expect(complaints.filter((text) => !text.includes('422'))).toEqual([])
    await page.close()
  })

  test('leads to another host only where the page says so', async () => {
    const target = `http://localhost:${new URL(base).port}/test/plain`
    const page = await browser.newPage()
    const send = async () => {
      await page.goto(`${base}/test/hosted/elsewhere`)
      await page.evaluate(`document.querySelector('[name=token]').name = 'to'`)
      await page.evaluate(`document.querySelector('[name=to]').value = ${JSON.stringify(target)}`)
      await page.getByLabel('New password').fill('longenough')
    }
    leadsTo = target
    await send()
    await page.getByRole('button').click()
    await page.waitForURL(target)
    expect(await page.textContent('p')).toBe('plain')
    leadsTo = null
    await send()
    const refusal = page.waitForEvent('console', (message) => /form-action/.test(message.text()))
    await page.getByRole('button').click()
    expect((await refusal).text()).toContain("form-action 'self'")
    expect(page.url()).not.toBe(target)
    await page.close()
  })
})
