import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { provisioned, type ScimClient } from '../../../../test/people/scim.ts'
import { withoutQuotes } from './passwords.ts'

const app = await startApp()
const tenant = await app.tenant()

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User'
// Looks the same in every encoding.
const SECRET = 'correct-horse-battery-staple'
const FILTER = `password eq "${SECRET}"`
const inQuery = encodeURIComponent(FILTER)
const make = () => ({ userName: `${fresh()}@acme.example` })
const set = (path: string) => ({ Operations: [{ op: 'replace', path, value: SECRET }] })

type Send = (call: ScimClient['call'], id: string) => Promise<unknown>

test.each<[string, Send]>([
  ['an attribute', (call) => call('POST', '/Users', { ...make(), password: SECRET })],
  ['with the URN of its schema', (call) => call('POST', '/Users', { ...make(), [`${CORE}:password`]: SECRET })],
  ['within that', (call) => call('POST', '/Users', { ...make(), [CORE]: { password: SECRET } })],
  ['a path', (call, id) => call('PATCH', `/Users/${id}`, set('password'))],
  ['a path with a URN', (call, id) => call('PATCH', `/Users/${id}`, set(`${CORE}:PassWord`))],
  ['a path that is refused', (call, id) => call('PATCH', `/Users/${id}`, set('password[type eq "work"]'))],
  ['a path with the value', (call, id) => call('PATCH', `/Users/${id}`, set(`password[value eq "${SECRET}"]`))],
  ['one that is not understood', (call, id) => call('PATCH', `/Users/${id}`, set(' password'))],
  [
    'a member of no meaning',
    (call, id) =>
      call('PATCH', `/Users/${id}`, { Operations: [{ op: 'add', attribute: `${CORE}:password`, value: SECRET }] }),
  ],
  [
    'the schema as a path',
    (call, id) =>
      call('PATCH', `/Users/${id}`, { Operations: [{ op: 'add', path: CORE, value: { password: SECRET } }] }),
  ],
  [
    'the schema as a name',
    (call, id) =>
      call('PATCH', `/Users/${id}`, { Operations: [{ op: 'add', value: { [CORE]: { password: SECRET } } }] }),
  ],
  [
    'in a bulk request',
    (call) =>
      call('POST', '/Bulk', { Operations: [{ method: 'PATCH', path: '/Users/1', data: set(`${CORE}:password`) }] }),
  ],
  [
    'a path in a bulk request',
    (call) => call('POST', '/Bulk', { Operations: [{ method: 'DELETE', path: `/Users?filter=${inQuery}` }] }),
  ],
  ['a filter of a list', (call) => call('GET', `/Users?filter=${inQuery}`)],
  ['a filter with pluses', (call) => call('GET', `/Users?count=1&filter=${inQuery.replaceAll('%20', '+')}`)],
  ['a filter with escapes', (call) => call('GET', `/Users?filter=p%61ssword${inQuery.slice(8)}`)],
  ['a filter with escapes of escapes', (call) => call('GET', `/Users?filter=p%2561ssword${inQuery.slice(8)}`)],
  ['a filter with a URN', (call) => call('GET', `/Users?filter=${encodeURIComponent(`${CORE}:${FILTER}`)}`)],
  ['a filter whose words are told', (call) => call('GET', `/Users?filter=password=${SECRET}`)],
  ['a filter of a search', (call) => call('POST', '/Users/.search', { filter: `userName pr and ${FILTER}` })],
  ['one with a tab', (call) => call('POST', '/Users/.search', { filter: FILTER.replaceAll(' ', '\t') })],
  ['one without blanks', (call) => call('POST', '/Users/.search', { Filter: `password=${SECRET}` })],
  ['one of no operator', (call) => call('POST', '/Users/.search', { filter: `password equals "${SECRET}"` })],
  ['one in a list', (call) => call('POST', '/Users/.search', { filter: [FILTER] })],
  ['one by another name', (call) => call('POST', '/Users/.search', { query: `userName pr and ${FILTER}` })],
  ['one in an address', (call) => call('POST', '/Bulk', { Operations: [{ location: `/Users?filter=${inQuery}` }] })],
  ['a query', (call) => call('GET', `/Users?password=${SECRET}`)],
  ['a name in a query', (call) => call('GET', `/Users?${inQuery}`)],
  ['the id of a resource', (call) => call('GET', `/Users/${inQuery}`)],
  ['a name that is none', (call) => call('POST', '/Users', { ...make(), emails: 'a@x.org', [FILTER]: true })],
  [
    'a form within a text',
    (call, id) =>
      call('PATCH', `/Users/${id}`, { Operations: [{ op: 'add', value: `userName=ada&password=${SECRET}` }] }),
  ],
  [
    'a query within a text',
    (call) => call('POST', '/Bulk', { Operations: [{ location: `/Users?password=${SECRET}` }] }),
  ],
  [
    'JSON within a text',
    (call, id) =>
      call('PATCH', `/Users/${id}`, { Operations: [{ op: 'add', value: JSON.stringify({ password: SECRET }) }] }),
  ],
])('a password is neither stored, nor shown, nor in the log: %s', async (_, send) => {
  const { call, subOrgId } = await provisioned(app, tenant)
  const { id } = (await call('POST', '/Users', make())).body
  await send(call, id)
  const { text, body } = await tenant.get(`/v1/scim/logs?subOrgId=${subOrgId}`)
  expect(body.logs).toHaveLength(2)
  expect(text).not.toContain(SECRET)
  expect((await call('GET', '/Users')).text).not.toContain(SECRET)
})

test('a reason goes without what it quotes, with escapes or without an end', () => {
  const reason = 'The path "a\\"b" is not "c\\\\" and not "d\\'
  expect(withoutQuotes(reason)).toBe('The path "…" is not "…" and not "…"')
  expect(withoutQuotes(null)).toBeNull()
})

test('what only has the word is kept', async () => {
  const { call, subOrgId } = await provisioned(app, tenant)
  await call('POST', '/Users', { ...make(), title: 'Password officer', passwordHint: 'none', emails: 'a@x.org' })
  const path = '/Users?filter=passwordHint%20pr&count=1'
  await call('GET', path)
  const { body } = await tenant.get(`/v1/scim/logs?subOrgId=${subOrgId}`)
  expect(body.logs).toMatchObject([
    { body: { title: 'Password officer', passwordHint: 'none' }, reason: expect.stringContaining('"emails"') },
    { path },
  ])
})
