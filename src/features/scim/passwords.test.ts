import { expect, test } from 'vitest'
import { fresh } from '../../../test/fresh.ts'
import { startApp } from '../../../test/harness.ts'
import { provisioned } from '../../../test/scim.ts'

const app = await startApp()
const tenant = await app.tenant()
const { subOrgId, call } = await provisioned(app, tenant)

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User'
const SECRET = 'correct horse battery staple'
const FILTER = `password eq "${SECRET}"`
const make = () => ({ userName: `${fresh()}@acme.example` })
const set = (path: string) => ({ Operations: [{ op: 'replace', path, value: SECRET }] })

test.each<[string, (make: () => Promise<string>) => Promise<unknown>]>([
  ['an attribute', () => call('POST', '/Users', { ...make(), password: SECRET })],
  ['with the URN of its schema', () => call('POST', '/Users', { ...make(), [`${CORE}:password`]: SECRET })],
  ['within that', () => call('POST', '/Users', { ...make(), [CORE]: { password: SECRET } })],
  ['a path', async (id) => call('PATCH', `/Users/${await id()}`, set('password'))],
  ['a path with a URN', async (id) => call('PATCH', `/Users/${await id()}`, set(`${CORE}:PassWord`))],
  ['a path that is refused', async (id) => call('PATCH', `/Users/${await id()}`, set('password[type eq "work"]'))],
  ['one that is not understood', async (id) => call('PATCH', `/Users/${await id()}`, set(' password'))],
  [
    'the schema as a path',
    async (id) =>
      call('PATCH', `/Users/${await id()}`, { Operations: [{ op: 'add', path: CORE, value: { password: SECRET } }] }),
  ],
  [
    'the schema as a name',
    async (id) =>
      call('PATCH', `/Users/${await id()}`, { Operations: [{ op: 'add', value: { [CORE]: { password: SECRET } } }] }),
  ],
  [
    'in a bulk request',
    () => call('POST', '/Bulk', { Operations: [{ method: 'PATCH', path: '/Users/1', data: set(`${CORE}:password`) }] }),
  ],
  ['a filter of a list', () => call('GET', `/Users?filter=${FILTER.replaceAll(' ', '%20')}`)],
  ['a filter with pluses', () => call('GET', `/Users?count=1&filter=${FILTER.replaceAll(' ', '+')}`)],
  ['a filter with escapes', () => call('GET', `/Users?filter=p%61ssword${FILTER.slice(8).replaceAll(' ', '%20')}`)],
  ['a filter with a URN', () => call('GET', `/Users?filter=${encodeURIComponent(`${CORE}:${FILTER}`)}`)],
  ['a filter of a search', () => call('POST', '/Users/.search', { filter: `userName pr and ${FILTER}` })],
])('a password is neither stored, nor shown, nor in the log: %s', async (_, send) => {
  await send(async () => (await call('POST', '/Users', make())).body.id)
  expect((await call('GET', '/Users')).text).not.toContain(SECRET)
  const told = (await tenant.get(`/v1/scim/logs?limit=100&subOrgId=${subOrgId}`)).text
  expect(told.replaceAll(/%20|[+]/g, ' ')).not.toContain(SECRET)
})

test('what only has the word is kept', async () => {
  await call('POST', '/Users', { ...make(), title: 'Password officer', passwordHint: 'none' })
  const { body } = await tenant.get(`/v1/scim/logs?order=desc&limit=1&subOrgId=${subOrgId}`)
  expect(body.logs[0].body).toMatchObject({ title: 'Password officer', passwordHint: 'none' })
})
