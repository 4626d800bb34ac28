import { expect, test } from 'vitest'
import { mediaOf } from '../../src/platform/http/media.ts'
import type { Route } from '../../src/platform/http/route.ts'
import { routes } from '../../src/wiring/routes.ts'
import { startApp } from '../harness.ts'
import { provisioned } from '../people/scim.ts'
import { signedInUser } from '../people/sign-in.ts'
import { joinedMember } from '../people/team.ts'

// Each route, called by each kind of caller that it does not accept.

const app = await startApp()
const tenant = await app.tenant()
const subOrgId = await tenant.organization()
const { session } = await signedInUser(app, tenant, subOrgId, 'ada@example.com')
const owner = await joinedMember(app, tenant, 'owner')
const client = await provisioned(app, tenant, subOrgId)

type Kind = Exclude<Route['auth'], 'public' | 'page'>

/** How each kind of caller authenticates; the usual way comes first. */
const credentials: Record<Kind, Record<string, string>[]> = {
  key: [{ 'x-api-key': tenant.key }, { authorization: `Bearer ${tenant.key}` }, owner.headers],
  user: [{ authorization: `Bearer ${session.access_token}` }],
  scim: [{ authorization: `Bearer ${client.token}` }],
}
const nobody: Record<string, string>[] = [
  {},
  { authorization: 'Bearer scim_0123456789' },
  { authorization: 'Basic YTpi' },
  { cookie: 'session=1' },
]

const guarded = routes.flatMap((route) =>
  route.auth === 'public' || route.auth === 'page'
    ? []
    : [{ name: `${route.method} ${route.path}`, route, auth: route.auth }],
)

test('there is a route for each kind of caller', () => {
  expect(new Set(guarded.map(({ auth }) => auth))).toEqual(new Set(Object.keys(credentials)))
})

test.each(guarded)('$name takes no other kind of caller', async ({ route, auth }) => {
  const others = Object.entries(credentials).flatMap(([kind, shown]) => (kind === auth ? [] : shown))
  // Members of the team call the routes of users that say so.
  const foreign = others.filter((headers) => !(auth === 'user' && route.team && headers === owner.headers))
  for (const headers of [...nobody, ...foreign]) {
    const path = route.path.replaceAll(/\{\w+\}/g, 'any')
    const body = route.body ? '{' : null
    const type = body === null ? {} : { 'content-type': 'application/json' }
    const reply = await fetch(app.baseUrl + path, { method: route.method, headers: { ...type, ...headers }, body })
    const text = await reply.text()
    // Refused before the body is read, which is not valid JSON.
    expect([Object.keys(headers), [401, 403].includes(reply.status), text]).toEqual([Object.keys(headers), true, text])
    expect(reply.headers.has('www-authenticate')).toBe(true)
    const sample = { status: reply.status, headers: {}, body: JSON.parse(text) }
    const expected = mediaOf(route.media).refuse(sample, '').headers['content-type']
    expect(reply.headers.get('content-type')).toBe(expected)
    // SCIM has a text and no codes (RFC 7644 §3.12).
    expect(JSON.parse(text)).toMatchObject(
      route.media === 'scim'
        ? { status: String(reply.status), detail: expect.stringMatching(/token/) }
        : { status: reply.status, code: expect.stringMatching(/^(api_key|access_token)_/) },
    )
  }
})
