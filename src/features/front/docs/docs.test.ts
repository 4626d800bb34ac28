import { validate } from '@scalar/openapi-parser'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { openBrowser } from '../../../../test/peers/browser.ts'
import { eventCatalogue } from '../../../platform/events/events.ts'
import { buildOpenApi } from '../../../platform/openapi/openapi.ts'
import { routes } from '../../../wiring/routes.ts'
import { errorsMarkdown } from './error-catalogue.ts'
import { eventsMarkdown } from './event-catalogue.ts'

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
      { url: 'http://localhost:4000', description: 'The same without the prefix.' },
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
  expect(page.text).toContain('before its time; <code>reason</code> says why.')
  const helps = eventCatalogue().map(({ help }) => help)
  expect(helps.filter((help, i) => helps.indexOf(help) !== i)).toEqual([])
})

/** Opens a page and returns the addresses of other hosts that it asked for, and what its console said. */
async function visit(page: Page, path: string): Promise<{ foreign: string[]; complaints: string[] }> {
  const seen = { foreign: [] as string[], complaints: [] as string[] }
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(baseUrl)) seen.foreign.push(request.url())
  })
  page.on('console', (message) => {
    if (message.type() === 'error') seen.complaints.push(message.text())
  })
  page.on('pageerror', (error) => seen.complaints.push(error.message))
  await page.goto(baseUrl + path)
  return seen
}

test('the reference shows the routes in a browser that asks no other host for anything', async () => {
  const browser = await openBrowser()
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  page.setDefaultTimeout(100_000)
  const seen = await visit(page, '/docs')
  await page.locator('h1', { hasText: 'Watchword' }).waitFor()
  await page.getByText('Users', { exact: true }).first().click()
  await page.getByText('Create a user', { exact: true }).first().waitFor()
  expect(seen).toEqual({ foreign: [], complaints: [] })
  await visit(page, '/docs/errors#service_disabled')
  expect(await page.locator('div:target code').first().textContent()).toBe('service_disabled')
  expect(seen).toEqual({ foreign: [], complaints: [] })
  // The browser has the page now, and asks whether it is still right.
  await visit(page, '/docs')
  await page.locator('h1', { hasText: 'Watchword' }).waitFor()
  expect(seen).toEqual({ foreign: [], complaints: [] })
})
