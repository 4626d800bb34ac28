import { Type } from 'typebox'
import { beforeEach, describe, expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { serve } from '../../../test/walkers/extra-routes.ts'
import { appParts } from '../../wiring/app.ts'
import { defineErrors, httpErrors } from '../errors.ts'
import { newId } from '../ids.ts'
import { bearerToken, CHALLENGE } from '../tenancy/authenticate.ts'
import type { UserCaller } from '../tenancy/caller.ts'
import { type Directory, findDirectory } from '../tenancy/directory.ts'
import { answer } from './answer.ts'
import { open } from './object-schemas.ts'
import { defineRoute } from './route.ts'

const errors = defineErrors({ taken: [409, 'test_taken', 'Taken', 'There is one already.'] })
const calls: unknown[] = []
beforeEach(() => {
  calls.length = 0
})

const tag = 'Test'
const Thing = Type.Object({ id: Type.String({ examples: ['1'] }) })

// Routes of kinds that no feature has yet: SCIM (bearer token, its media type and statuses), and the form that an
// identity provider makes a browser send from its own site.
const routes = [
  defineRoute({
    method: 'POST',
    path: '/v1/test/scim',
    operation: 'test.scim',
    auth: 'user',
    media: 'scim',
    tag,
    summary: 'Make a thing',
    body: open(Type.Object({ userName: Type.String({ examples: ['ada'] }) })),
    replies: { 201: Thing, 204: Type.Null() },
    errors: [errors.taken],
    async handle(work, { body }) {
      calls.push(body)
      if (body.userName === 'taken') throw errors.taken({ extra: { scimType: 'uniqueness' } })
      if (body.userName === 'nothing') return answer(204, null)
      work.headers['location'] = '/v1/test/scim/1'
      return answer(201, { id: '1', secret: 'never declared' })
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/test/acs',
    operation: 'test.acs',
    auth: 'public',
    media: 'form',
    crossSite: true,
    bodyLimit: 256 * 1024,
    redirects: true,
    tag,
    summary: 'Take an assertion',
    body: open(Type.Object({ SAMLResponse: Type.String({ examples: ['PHNhbWw'] }) })),
    errors: [errors.taken],
    async handle(work, { body }) {
      calls.push({ body, endUser: work.origin.endUser })
      if (body.SAMLResponse === 'taken') throw errors.taken()
      return { redirectTo: body.SAMLResponse === 'hostile' ? 'javascript:alert(1)' : 'https://app.example.com/?code=1' }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/test/leads',
    operation: 'test.leads',
    auth: 'public',
    redirects: true,
    tag,
    summary: 'Lead on',
    handle: async () => ({ redirectTo: 'https://app.example.com/' }),
  }),
]

const service = await startApp()
const { platform } = service.app
const directory = await someDirectory()
const base = await serve(service, routes, {
  authenticators: {
    ...appParts(platform).authenticators,
    async user({ headers }) {
      if (bearerToken(headers) !== 'scim_1') throw httpErrors.accessTokenInvalid({ headers: CHALLENGE })
      return callerOf(directory)
    },
  },
})

async function someDirectory(): Promise<Directory> {
  const tenant = await service.tenant()
  const subOrgId = await tenant.organization()
  await tenant.post('/v1/users', { subOrgId, email: 'ada@example.com' })
  const query = platform.db.selectFrom('directories').select('id').where('organization_id', '=', subOrgId)
  const found = await findDirectory(platform, (await query.executeTakeFirstOrThrow()).id)
  if (!found) throw new Error('No directory')
  return found
}

function callerOf({ accountId, environmentId, environmentSlug, organizationId }: Directory): UserCaller {
  return {
    kind: 'user',
    isImpersonated: false,
    actor: { type: 'scim', id: null },
    accountId,
    environmentId,
    environmentSlug,
    organizationId,
    directory,
    userId: newId(),
    directoryUserId: newId(),
    connectionId: null,
    sessionId: newId(),
    amr: [],
    aal: 'aal1',
    authenticatedAt: new Date(),
  }
}

async function send(path: string, body: string, headers: Record<string, string>) {
  const response = await fetch(base + path, { method: 'POST', body, headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('a route of SCIM', () => {
  const scim = { authorization: 'Bearer scim_1', 'content-type': 'application/scim+json' }
  const refusal = (status: number, scimType?: string) => ({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    // RFC 7644 §3.12, table 9.
    ...(scimType === undefined ? {} : { scimType }),
    detail: expect.any(String),
  })

  test.each([
    ['its own type', scim],
    ['its own type and charset', { ...scim, 'content-type': 'application/scim+json; charset=utf-8' }],
    ['plain JSON', { ...scim, 'content-type': 'application/json', accept: 'application/json' }],
    ['what it answers', { ...scim, accept: 'application/scim+json' }],
  ])('takes %s, keeps extensions, and answers 201 with what it declares', async (_, headers) => {
    const reply = await send('/v1/test/scim', '{"userName":"ada","urn:x":{"a":1}}', headers)
    expect([reply.status, reply.headers.get('content-type'), reply.text]).toEqual([
      201,
      'application/scim+json',
      '{"id":"1"}',
    ])
    expect(reply.headers.get('location')).toBe('/v1/test/scim/1')
    expect(calls).toEqual([{ userName: 'ada', 'urn:x': { a: 1 } }])
  })

  test('answers 204 with nothing', async () => {
    const reply = await send('/v1/test/scim', '{"userName":"nothing"}', scim)
    expect([reply.status, reply.text]).toEqual([204, ''])
  })

  test.each([
    ['another token', '{"userName":"ada"}', { ...scim, authorization: 'Bearer scim_2' }, 401],
    ['an API key', '{"userName":"ada"}', { 'x-api-key': 'ww_live_1', 'content-type': scim['content-type'] }, 401],
    ['what it lacks', '{}', scim, 400, 'invalidValue'],
    ['no JSON', '{', scim, 400, 'invalidSyntax'],
    ['a form', 'userName=ada', { ...scim, 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['an answer that the client cannot read', '{"userName":"ada"}', { ...scim, accept: 'text/csv' }, 406],
  ])('refuses %s as RFC 7644 says', async (_, body, headers, status, scimType?: string) => {
    const reply = await send('/v1/test/scim', body, headers)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'application/scim+json'])
    expect(JSON.parse(reply.text)).toEqual(refusal(status, scimType))
    expect(reply.headers.has('www-authenticate')).toBe(status === 401)
    expect(calls).toEqual([])
  })

  test('says what kind of refusal it is', async () => {
    const reply = await send('/v1/test/scim', '{"userName":"taken"}', scim)
    expect(JSON.parse(reply.text)).toEqual({ ...refusal(409), scimType: 'uniqueness' })
  })
})

describe('a form of another site', () => {
  const form = {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'cross-site',
    origin: 'https://idp.example',
  }

  test('is taken, up to 256 KiB, and leads on by 303', async () => {
    const long = 'a'.repeat(250 * 1024)
    const reply = await send('/v1/test/acs', `SAMLResponse=${long}&RelayState=x`, { ...form, 'user-agent': 'Test/1' })
    expect([reply.status, reply.headers.get('location')]).toEqual([303, 'https://app.example.com/?code=1'])
    expect(calls).toEqual([
      { body: { SAMLResponse: long, RelayState: 'x' }, endUser: { ip: '127.0.0.1', userAgent: 'Test/1' } },
    ])
    expect((await send('/v1/test/acs', `SAMLResponse=${'a'.repeat(256 * 1024)}`, form)).status).toBe(413)
  })

  test('is refused on a page for people', async () => {
    for (const [body, headers, status] of [
      ['SAMLResponse=taken', form, 409],
      ['SAMLResponse=hostile', form, 500],
      ['RelayState=x', form, 400],
      ['SAMLResponse=a&SAMLResponse=b', form, 400],
      ['{}', { ...form, 'content-type': 'application/json' }, 415],
    ] as const) {
      const reply = await send('/v1/test/acs', body, headers)
      expect([body, reply.status, reply.headers.get('content-type')]).toEqual([
        body,
        status,
        'text/html; charset=utf-8',
      ])
      expect(reply.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
      expect(reply.text).toContain('<h1>')
    }
  })

  test('a GET leads on by 302', async () => {
    const reply = await fetch(`${base}/api/v1/test/leads`, { redirect: 'manual' })
    expect([reply.status, reply.headers.get('location')]).toEqual([302, 'https://app.example.com/'])
  })
})
