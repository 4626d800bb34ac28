import { validate } from '@scalar/openapi-parser'
import axe from 'axe-core'
import { expect, test } from 'vitest'
import { Watchword } from '../../../../packages/sdk/src/index.ts'
import { startApp } from '../../../../test/harness.ts'
import { openBrowser } from '../../../../test/peers/browser.ts'
import { eventCatalogue } from '../../../platform/events/events.ts'
import { operationsOf } from '../../../platform/openapi/document-operations.ts'
import { buildOpenApi } from '../../../platform/openapi/openapi.ts'
import { routes } from '../../../wiring/routes.ts'
import { errorsMarkdown } from './error-catalogue.ts'
import { eventsMarkdown } from './event-catalogue.ts'
import { callOf, referenceTags } from './reference.ts'
import { termsOfQuestion } from './search.ts'

const { as, baseUrl } = await startApp()

test.each(['api', 'scim'] as const)('the document of %s is valid OpenAPI 3.1 and the same each time', async (part) => {
  const options = { baseUrl: 'https://auth.example.com', version: '1.2.3', part }
  const document = buildOpenApi(routes, options)
  const { valid, errors } = await validate({ ...document })
  expect([valid, errors]).toEqual([true, []])
  expect(JSON.stringify(buildOpenApi(routes, options))).toBe(JSON.stringify(document))
})

test('the document is served without a key at both addresses, with the address of the deployment', async () => {
  const [short, long] = [await as(null).get('/v1/openapi.json'), await as(null).get('/api/v1/openapi.json')]
  expect([short.status, short.body.openapi, short.body.servers]).toEqual([
    200,
    '3.1.0',
    [
      { url: 'http://localhost:4000/api' },
      { url: 'http://localhost:4000', description: 'The same routes without the prefix `/api`.' },
    ],
  ])
  expect(long.text).toBe(short.text)
})

test('what directories call has a document of its own, and is in no other', async () => {
  const [scim, api] = [await as(null).get('/v1/scim/openapi.json'), await as(null).get('/v1/openapi.json')]
  expect([scim.status, scim.body.servers]).toEqual([200, [{ url: 'http://localhost:4000' }]])
  const paths = Object.keys(scim.body.paths)
  expect(paths).toContain('/api/os/scim/v2/Users/{id}')
  expect(paths.filter((path) => !/^\/api\/os\/scim\/v2(\/|$)/.test(path) || path in api.body.paths)).toEqual([])
  expect(Object.keys(scim.body.components.securitySchemes)).toEqual(['scimToken'])
})

test('a keyed operation says its scope, its headers and its refusals', async () => {
  const { body } = await as(null).get('/v1/openapi.json')
  const operation = body.paths['/v1/users'].post
  expect(operation.security).toEqual([{ apiKey: ['users.write'] }, { bearer: [] }])
  const names = operation.parameters.map(
    ({ $ref }: { $ref: string }) => body.components.parameters[$ref.split('/').at(-1) ?? ''].name,
  )
  expect(names).toEqual([
    ...['subOrgId', 'Idempotency-Key', 'X-End-User-IP', 'X-End-User-Agent'],
    ...['X-Actor-Id', 'X-Actor-Name', 'X-Watchword-Environment'],
  ])
  const { schema } = operation.responses['409'].content['application/problem+json']
  const problems = schema.anyOf.map(({ $ref }: { $ref: string }) => $ref.split('/').at(-1))
  expect(problems).toEqual(['EmailExistsProblem', 'ExternalIdTakenProblem', 'Problem'])
  expect(body.components.schemas.EmailExistsProblem.allOf[1].properties.code.const).toBe('email_exists')
})

test('every code of the catalogue is an anchor of the page and a heading of the guide', async () => {
  const page = await as(null).get('/docs/errors')
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const codes = errorsMarkdown(routes).match(/(?<=^### ).+$/gm) ?? []
  expect(codes).toContain('invalid_request')
  expect(codes.filter((code) => !page.text.includes(`<div id="${code}">`))).toEqual([])
})

test('events stand under their resource, on the page as in the guide, and none is told like another', async () => {
  const page = await as(null).get('/docs/events')
  const guide = eventsMarkdown()
  const types = eventCatalogue().map(({ type }) => type)
  const resources = [...new Set(types.map((type) => type.split('.')[0]))]
  expect(guide.match(/(?<=^## `).+(?=\.\*`$)/gm)).toEqual(resources)
  expect(guide.match(/(?<=^### ).+$/gm)).toEqual(types)
  expect(page.text.match(/(?<=<h2><code>)[^<]+(?=\.\*<)/g)).toEqual(resources)
  expect(page.text.match(/(?<=<div id=")[^"]+/g)).toEqual(types)
  expect(page.text).toContain('A session was ended before it expired. <code>reason</code> says why.')
  const helps = eventCatalogue().map(({ help }) => help)
  expect(helps.filter((help, i) => helps.indexOf(help) !== i)).toEqual([])
})

const get = async (path: string) => as(null).get(path)
const anchorsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))

test('every link on every page leads to a page and an anchor of it', async () => {
  const pages = new Map<string, string>()
  const links = new Set<string>()
  const waiting = ['/docs', '/docs/guides', '/docs/search?q=session']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue
    const page = await get(path)
    expect([path, page.status]).toEqual([path, 200])
    pages.set(path, page.text)
    for (const [, target = ''] of page.text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      if (/^https?:|^data:/.test(target)) continue
      const to = target.startsWith('#') ? `${path}${target}` : target
      links.add(`${path} → ${to}`)
      waiting.push(to.split('#')[0] ?? '')
    }
  }
  expect([...pages.keys()].filter((path) => path.startsWith('/docs/guides/')).length).toBeGreaterThan(30)
  expect([...pages.keys()].filter((path) => path.startsWith('/docs/reference/')).length).toBeGreaterThan(25)
  const broken = [...links].filter((link) => {
    const [path = '', anchor] = (link.split(' → ')[1] ?? '').split('#')
    return anchor !== undefined && !anchorsOf(pages.get(path) ?? '').has(anchor)
  })
  expect(broken).toEqual([])
})

test.each([
  '/docs/guides/sign-in',
  '/docs/guides/sign-in/none',
  '/docs/guides/internals/users',
  '/docs/reference/none',
  '/docs/images/none.png',
  '/docs/images/..%2Findex.md',
])('%s is no page', async (path) => {
  expect((await get(path)).status).toBe(404)
})

test('the reference has every operation of both documents, with its fields, examples and codes', async () => {
  const [api, scim] = (await Promise.all(['/v1/openapi.json', '/v1/scim/openapi.json'].map(get))).map(
    ({ body }) => body,
  )
  const tags = referenceTags(api, scim)
  const operations = [api, scim].flatMap((document) => operationsOf(document))
  expect(tags.flatMap(({ operations: of }) => of.map(({ id }) => id)).toSorted()).toEqual(
    operations.map(({ id }) => id).toSorted(),
  )
  for (const tag of tags) {
    const { text } = await get(tag.path)
    const ids = anchorsOf(text)
    expect(tag.operations.filter(({ id }) => !ids.has(id))).toEqual([])
  }
  const users = (await get('/docs/reference/users')).text
  const create = users.slice(users.indexOf('id="users.create"'), users.indexOf('id="users.createMany"'))
  expect(create).toContain('<code>email</code> <span class="type">string, not empty, at most 320 characters, required')
  expect(create).toContain('curl -X POST &quot;http://localhost:4000/v1/users&quot;')
  expect(create).toContain('await watchword.users.create({')
  expect(create).toContain('href="/docs/errors#email_exists"')
})

test('the calls that the reference prints are methods of the SDK', async () => {
  const client = new Watchword({ url: 'http://x.test' })
  const calls = operationsOf((await get('/v1/openapi.json')).body).map(callOf)
  const reach = (call: string) => {
    const path = /^await watchword(\.forUser\(accessToken\))?\.([\w.]+)\(/.exec(call)
    const from = path?.[1] ? client.forUser('token') : client
    return path?.[2]?.split('.').reduce<unknown>((inner, step) => Object(inner)[step], from)
  }
  expect(calls.filter((call) => typeof reach(call) !== 'function')).toEqual([])
})

test.each([
  ['backup codes', '/docs/guides/sign-in/mfa'],
  ['email_exists', '/docs/errors#email_exists'],
  ['session.revoked', '/docs/events#session.revoked'],
  ['createMany', '/docs/reference/users#users.createMany'],
  ['enforce_sso', '/docs/guides/enterprise/sso#only-by-single-sign-on'],
  ['pasword', '/docs/guides/sign-in/passwords'],
])('a search for %s finds %s', async (question, target) => {
  const { status, text } = await get(`/docs/search?q=${encodeURIComponent(question)}`)
  expect(status).toBe(200)
  const found = [
    ...text.slice(text.indexOf('class="results"'), text.indexOf('</main>')).matchAll(/<li><a href="([^"]+)"/g),
  ].map(([, href]) => href)
  expect(found.length).toBeLessThanOrEqual(30)
  expect(found.some((href) => href?.startsWith(target))).toBe(true)
})

test('a question has eight terms at most, each once, however it is written', () => {
  expect(termsOfQuestion('re-'.repeat(33))).toEqual(['re'])
  expect(termsOfQuestion('aa-bb-cc-dd-ee-ff-gg-hh-ii-jj')).toHaveLength(8)
  expect(termsOfQuestion('a_b_c_d_e_f_g_h_i_j_k')).toHaveLength(8)
})

test('a search shows what was searched for as text, and takes any question', async () => {
  const { text } = await get(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect(text).not.toContain('<script')
  expect(text).toContain('value="&quot;&gt;&lt;script&gt;')
  for (const question of ['', ' ', '%', '*', 'a '.repeat(500), '\u{1f600}', 'q=1&q=2'])
    expect([question, (await get(`/docs/search?q=${encodeURIComponent(question)}`)).status]).toEqual([question, 200])
})

const SHOWN = ['/docs', '/docs/guides/enterprise/scim', '/docs/reference/roles', '/docs/search?q=code']

test('pages have no finding of axe, in light and dark, no overflow at 320 px, and ask no other host for anything', async () => {
  const browser = await openBrowser()
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: { width: 320, height: 800 }, colorScheme })
    const seen = { foreign: [] as string[], complaints: [] as string[] }
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(baseUrl)) seen.foreign.push(request.url())
    })
    page.on('console', (message) => {
      if (message.type() === 'error') seen.complaints.push(message.text())
    })
    page.on('pageerror', (error) => seen.complaints.push(error.message))
    for (const path of SHOWN) {
      await page.goto(baseUrl + path)
      if (path === '/docs/reference/roles')
        await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true })')
      await page.evaluate(axe.source)
      const violations = await page.evaluate(
        'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))',
      )
      expect([path, violations]).toEqual([path, []])
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 320])
    }
    expect(seen).toEqual({ foreign: [], complaints: [] })
    await page.close()
  }
})

test('a reader searches and follows a result by the keyboard', async () => {
  const page = await (await openBrowser()).newPage()
  await page.goto(`${baseUrl}/docs`)
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
  await page.getByRole('searchbox').focus()
  await page.keyboard.type('insufficient_scope')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'insufficient_scope' }).first().click()
  expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe('/docs/errors#insufficient_scope')
  expect(await page.locator('div:target code').first().textContent()).toBe('insufficient_scope')
})
