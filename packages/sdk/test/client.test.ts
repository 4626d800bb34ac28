import { expect, test } from 'vitest'
import { freshEmail } from '../../../test/fresh.ts'
import { startApp } from '../../../test/harness.ts'
import { mailedCode } from '../../../test/people/sign-in.ts'
import { Watchword, WatchwordError } from '../src/index.ts'
import { signedInBySdk } from './signed-in.ts'

const app = await startApp()
const tenant = await app.tenant()
const watchword = new Watchword({ url: app.baseUrl, apiKey: tenant.key })

test('an application calls the service: organization, user, code, session, profile, sign-out', async () => {
  const { subOrganization } = await watchword.organizations.create({ name: 'Acme', slug: `acme-${Date.now()}` })
  const subOrgId = subOrganization.id
  const email = freshEmail('ada')
  const { user } = await watchword.users.create({ subOrgId, email, displayName: 'Ada' })
  const request = { headers: { 'user-agent': 'Firefox/140' }, ip: '203.0.113.9' }
  const forAda = watchword.forRequest(request)
  const { otp_id } = await forAda.login.otp.send({ subOrgId, email })
  const code = await mailedCode(app, email)
  const { session } = await forAda.login.otp.verify({ subOrgId, email, otp_id, code })
  expect(session?.directory_user_id).toBe(user.id)
  const me = watchword.forUser(session?.access_token ?? '')
  expect((await me.me.get()).user).toMatchObject({ id: user.id, displayName: 'Ada' })
  const { sessions } = await me.me.sessions.list()
  expect(sessions).toMatchObject([{ ip_address: '203.0.113.9', user_agent: 'Firefox/140' }])
  await watchword.users.revokeSessions(user.id, { subOrgId })
  await expect(me.me.get()).rejects.toMatchObject({ code: 'access_token_invalid', status: 401 })
})

test('the rows of all pages come one after the other, each page when it is needed', async () => {
  const subOrgId = await tenant.organization()
  const emails = Array.from({ length: 7 }, (_, at) => freshEmail(`row${at}`))
  for (const email of emails) await watchword.users.create({ subOrgId, email })
  const found: string[] = []
  for await (const { email } of watchword.users.list({ subOrgId, limit: 3, order: 'asc' })) found.push(email)
  expect(found).toEqual(emails)
  const pages: number[] = []
  for await (const { users } of watchword.users.list({ subOrgId, limit: 3 }).pages()) pages.push(users.length)
  expect(pages).toEqual([3, 3, 1])
  const { users, has_more } = await watchword.users.list({ subOrgId, limit: 3 })
  expect([users.length, has_more]).toEqual([3, true])
})

test('an error narrows by its code', async () => {
  const subOrgId = await tenant.organization()
  const email = freshEmail('ada')
  await watchword.users.create({ subOrgId, email })
  const error = await watchword.users.create({ subOrgId, email }).catch((reason: unknown) => reason)
  if (!(error instanceof WatchwordError)) throw new Error('no refusal')
  expect([error.code, error.status]).toEqual(['email_exists', 409])
  expect(error.requestId).toMatch(/^req_/)
  const weak = await watchword.signup
    .password({ subOrgId, email, password: 'short' })
    .catch((reason: unknown) => reason)
  expect(weak).toBeInstanceOf(WatchwordError)
})

test('a call gives its response as well, with which a later one can say what it has seen', async () => {
  const subOrgId = await tenant.organization()
  const { data, response, requestId } = await watchword.organizations.get(subOrgId).withResponse()
  expect([data.subOrganization.id, response.status]).toEqual([subOrgId, 200])
  expect(requestId).toMatch(/^req_/)
  const etag = response.headers.get('etag') ?? ''
  await watchword.organizations.update(subOrgId, { name: 'First' }, { ifMatch: etag })
  const late = watchword.organizations.update(subOrgId, { name: 'Second' }, { ifMatch: etag })
  await expect(late).rejects.toMatchObject({ code: 'version_conflict' })
})

test('a retried creation with the same key has one effect', async () => {
  const subOrgId = await tenant.organization()
  const email = freshEmail('ada')
  const [first, again] = await Promise.all(
    [1, 2].map(() => watchword.users.create({ subOrgId, email }, { idempotencyKey: email })),
  )
  expect(first).toEqual(again)
})

test('the audit log names the person that the backend acts for', async () => {
  const subOrgId = await tenant.organization()
  const acting = watchword.forRequest({ headers: new Headers() }, { actor: { id: 'staff 7', name: 'Zoë Ö' } })
  const { user } = await acting.users.create({ subOrgId, email: freshEmail('ada') })
  await app.settled()
  const { events } = await watchword.audit.list({ subOrgId, target_id: user.id })
  expect(events[0]?.actor).toMatchObject({ on_behalf_of: { id: 'staff 7', name: 'Zoë Ö' } })
})

test('a call of a user for a request is of the address and the browser of the user', async () => {
  const { subOrgId, session } = await signedInBySdk(app, tenant)
  const request = { headers: { 'user-agent': 'Firefox/140' }, ip: '203.0.113.9' }
  const seen = async (change: () => Promise<unknown>) => {
    await change()
    await app.settled()
    const { events } = await watchword.audit.list({ subOrgId, types: 'user.updated', limit: 1 })
    return [events[0]?.ip_address, events[0]?.user_agent, events[0]?.actor.via?.type]
  }
  const user = watchword.forRequest(request).forUser(session.access_token)
  expect(await seen(() => user.me.update({ displayName: 'Ada' }))).toEqual(['203.0.113.9', 'Firefox/140', 'api_key'])
  // Without a request, the token is sent alone.
  const alone = watchword.forUser(session.access_token)
  expect(await seen(() => alone.me.update({ displayName: 'Lou' }))).toEqual(['127.0.0.1', 'node', undefined])
  const foreign = new Watchword({ url: app.baseUrl, apiKey: (await app.tenant()).key })
  const refused = foreign.forRequest(request).forUser(session.access_token).me.get()
  await expect(refused).rejects.toMatchObject({ code: 'api_key_mismatch', status: 403 })
  expect((await foreign.forUser(session.access_token).me.get()).user.subOrgId).toBe(subOrgId)
})

test('a file is a response to be read', async () => {
  const subOrgId = await tenant.organization()
  const response = await watchword.audit.export({ subOrgId, format: 'ndjson' } as never)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('ndjson')
})
