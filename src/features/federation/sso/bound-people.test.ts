import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { person, RULES, signInAs, workOfOrganization } from '../../../../test/people/federation.ts'
import { newUser } from '../../../../test/people/people.ts'
import { verifyDomain } from '../../../../test/people/saml-connection.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import { mailedCode, mailedLink, signIn } from '../../../../test/people/sign-in.ts'
import { recordStatements } from '../../../../test/rules/sql-recorder.ts'
import { newId } from '../../../platform/ids.ts'
import { insertIdentityRow } from '../federation/store.ts'

const app = await startApp()
const tenant = await app.tenant()
const PASSWORD = 'seven green bottles'

/**
 * An organization with a connection, a user of the connection, and an exempt user. Single sign-on is not enforced
 * yet.
 */
async function organization() {
  const subOrgId = await tenant.organization()
  const domain = `${fresh()}.example`
  await verifyDomain(app, tenant, subOrgId, domain)
  const provider = { oidc_issuer: 'https://login.acme.example', oidc_client_id: 'ww', oidc_client_secret: 'secret' }
  const made = await tenant.post('/v1/sso/connections', { subOrgId, name: 'Acme', protocol: 'oidc', ...provider })
  const connectionId: string = succeeded(made).connection.id
  succeeded(await tenant.patch(`/v1/sso/connections/${connectionId}`, { subOrgId, status: 'active' }))
  const [ada, eve] = [`ada@${domain}`, `eve@${domain}`]
  const member = await newUser(tenant, { subOrgId, email: ada })
  const exempt = await newUser(tenant, { subOrgId, email: eve })
  const enforce = async () => {
    const settings = { enforce_sso: true, sso_exempt_user_ids: [exempt.id], allow_sign_up: true }
    succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, ...settings }))
  }
  return { subOrgId, domain, connectionId, ada, eve, member, enforce, nobody: `nobody@${domain}` }
}

const kinds = async (email: string) => (await app.mails(email)).map(({ kind }) => kind)
const shapeOf = ({ status, body }: Reply) => [status, Object.entries(body).map(([key, value]) => [key, value === null])]

const sends: [path: string, kind: string][] = [
  ['/v1/auth/login/otp/send', 'login_otp'],
  ['/v1/auth/login/magic-link/send', 'magic_link'],
  ['/v1/auth/password/reset/send', 'password_reset'],
]

test.each(sends)('%s mails no code or link that can only fail, and answers everybody alike', async (path, kind) => {
  const { subOrgId, ada, eve, nobody, enforce, member } = await organization()
  await enforce()
  const replies = []
  for (const email of [ada, eve, nobody]) replies.push(await tenant.post(path, { subOrgId, email }))
  const [shape] = replies.map(shapeOf)
  for (const reply of replies) expect(shapeOf(reply)).toEqual(shape)
  expect(shape?.[0]).toBe(200)
  expect([await kinds(ada), await kinds(eve), await kinds(nobody)]).toEqual([['single_sign_on'], [kind], []])
  const [mail] = await app.mails(ada)
  expect(mail?.subject).toBe('Sign in with your company account')
  expect(`${mail?.text}${mail?.html}`).not.toMatch(/token_hash|https?:/)
  const failed = await app.events({ accountId: tenant.accountId, type: 'auth.login.failed' })
  expect(failed.filter(({ target_id }) => target_id === member.id)).toMatchObject([
    { data: { reason: 'sso_required' } },
  ])
})

test.each(sends)('%s tells a person that no connection takes to ask for access, and answers alike', async (path) => {
  const { subOrgId, ada, connectionId, enforce } = await organization()
  const at = `${fresh()}.example`
  const [guest, linked] = [
    await newUser(tenant, { subOrgId, email: `guest@${at}` }),
    await newUser(tenant, { subOrgId }),
  ]
  const work = await workOfOrganization(app, subOrgId)
  const link = { method: 'sso', source: connectionId, issuer: 'https://a.example', subject: linked.id }
  await work.platform.tx((db) => insertIdentityRow(db, work.directory, { id: newId(), user_id: linked.id, ...link }))
  await enforce()
  const replies = []
  for (const email of [ada, guest.email, linked.email, `nobody@${at}`])
    replies.push(shapeOf(await tenant.post(path, { subOrgId, email })))
  for (const reply of replies) expect(reply).toEqual(replies[0])
  const subjects = []
  for (const email of [ada, guest.email, linked.email])
    subjects.push((await app.mails(email)).map(({ subject }) => subject))
  const company = ['Sign in with your company account']
  expect(subjects).toEqual([company, ['You need access first'], company])
  const [mail] = await app.mails(guest.email)
  expect(mail).toMatchObject({ kind: 'single_sign_on_no_access', text: expect.stringContaining('for access') })
  expect(`${mail?.text}${mail?.html}`).not.toMatch(/company account|token_hash|https?:/)
  expect(await app.mails(`nobody@${at}`)).toEqual([])
  expect(await kinds(ada)).toEqual(['single_sign_on'])
  // When the user is exempt, they get the link or code that they asked for.
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, sso_exempt_user_ids: [guest.id] }))
  await app.advance(61)
  succeeded(await tenant.post(path, { subOrgId, email: guest.email }))
  expect((await kinds(guest.email)).at(-1)).not.toMatch(/^single_sign_on/)
  // Without an active connection, no mail says that the person lacks access.
  succeeded(await tenant.patch(`/v1/sso/connections/${connectionId}`, { subOrgId, status: 'testing' }))
  succeeded(await tenant.post(path, { subOrgId, email: ada }))
  expect((await app.mails(ada)).map(({ subject }) => subject)).toEqual([...company, 'Single sign-on is not available'])
})

test.each(sends.slice(0, 2))(
  '%s asks the same of people who are exempt, so that the time does not tell them',
  async (path) => {
    const { subOrgId, ada, eve, nobody, enforce } = await organization()
    await enforce()
    const [counts, asked]: [number[], number[]] = [[], []]
    for (const email of [ada, eve, nobody, ada, eve, nobody]) {
      const statements = await recordStatements(async () => {
        succeeded(await tenant.post(path, { subOrgId, email }))
      })
      counts.push(statements.filter((text) => !text.includes('clock_timestamp()')).length)
      asked.push(statements.filter((text) => /from\s+"?(sso_connections|domains)"?/.test(text)).length)
    }
    const [first = 0, ...others] = asked.slice(3)
    expect(first).toBeGreaterThan(0)
    expect(others).toEqual([first, first])
    expect(new Set(counts.slice(3)).size).toBe(1)
  },
)

test('an own text of one of these mails is of that mail alone', async () => {
  const { subOrgId, ada, connectionId, enforce } = await organization()
  const guest = await newUser(tenant, { subOrgId, email: `guest@${fresh()}.example` })
  await enforce()
  const own = { subOrgId, subject: 'Use the blue button', body: ['Choose the blue button.'] }
  succeeded(await tenant.put('/v1/mail/templates/single_sign_on/en', own))
  const subjects = async () => {
    await app.advance(61)
    for (const email of [ada, guest.email]) succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email }))
    return Promise.all([ada, guest.email].map(async (email) => (await app.mails(email)).at(-1)?.subject))
  }
  expect(await subjects()).toEqual([own.subject, 'You need access first'])
  succeeded(await tenant.patch(`/v1/sso/connections/${connectionId}`, { subOrgId, status: 'testing' }))
  const unavailable = 'Single sign-on is not available'
  expect(await subjects()).toEqual([unavailable, unavailable])
})

test('nor does a sign-up, of whatever address, and no user is made', async () => {
  const { subOrgId, ada, eve, nobody, enforce } = await organization()
  await enforce()
  for (const path of ['/v1/auth/signup/otp/send', '/v1/auth/signup/authenticate-email/send']) {
    await app.advance(61)
    const replies = []
    for (const email of [ada, eve, nobody]) replies.push(await tenant.post(path, { subOrgId, email, openSignup: true }))
    for (const reply of replies) expect(shapeOf(reply)).toEqual([200, shapeOf(replies[0] ?? reply)[1]])
  }
  const told = ['single_sign_on', 'single_sign_on']
  expect([await kinds(ada), (await kinds(eve)).length, await kinds(nobody)]).toEqual([told, 2, told])
  expect(await kinds(eve)).not.toContain('single_sign_on')
  const stranger = `stranger@${fresh()}.example`
  succeeded(await tenant.post('/v1/auth/signup/otp/send', { subOrgId, email: stranger, openSignup: true }))
  expect(await app.mails(stranger)).toMatchObject([
    { kind: 'single_sign_on_no_access', subject: 'You need access first' },
  ])
  const { users } = succeeded(await tenant.get(`/v1/users?subOrgId=${subOrgId}`))
  expect(users.map(({ email }: { email: string }) => email).sort()).toEqual([ada, eve])
})

test('a code that is not mailed cannot be redeemed, whatever is typed', async () => {
  const { subOrgId, ada, enforce } = await organization()
  await enforce()
  const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: ada }))
  const reply = await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email: ada, otp_id, code: 'amber falcon' })
  expect([reply.status, reply.body.code]).toEqual([401, 'otp_invalid'])
})

test('every refusal names the connection to start', async () => {
  const { subOrgId, ada, connectionId, enforce, member } = await organization()
  await signIn(app, tenant, subOrgId, ada)
  succeeded(await tenant.put(`/v1/users/${member.id}/password`, { subOrgId, password: PASSWORD }))
  const signedIn = await tenant.post('/v1/auth/login/password', { subOrgId, email: ada, password: PASSWORD })
  const { refresh_token } = succeeded(signedIn).session
  await app.advance(61)
  succeeded(await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email: ada }))
  const link = await mailedLink(app, ada, 'magic_link')
  // This invalidates the code in the mail with the link.
  const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: ada }))
  const code = await mailedCode(app, ada)
  succeeded(await tenant.post('/v1/auth/password/reset/send', { subOrgId, email: ada }))
  const reset = await mailedLink(app, ada, 'password_reset')
  await enforce()
  const tried = [
    await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token }),
    await tenant.post('/v1/auth/login/password', { subOrgId, email: ada, password: PASSWORD }),
    await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email: ada, otp_id, code }),
    await tenant.post('/v1/auth/login/magic-link/verify', { subOrgId, email: ada, token_hash: link.token_hash }),
    await tenant.post('/v1/auth/password/reset/confirm', {
      ...{ subOrgId, email: ada, token_hash: reset.token_hash, password: `${PASSWORD}!` },
    }),
  ]
  for (const { status, body } of tried)
    expect([status, body.code, body.connection_id]).toEqual([403, 'sso_required', connectionId])
})

test('an invitation asks for no password, and the sign-in at the provider accepts it', async () => {
  const { subOrgId, domain, connectionId, enforce } = await organization()
  await enforce()
  const email = `tia@${domain}`
  const { invite } = succeeded(await tenant.post('/v1/users/invites', { subOrgId, email }))
  const [mail] = await app.mails(email)
  expect(mail?.text).toContain('Sign in with your company account')
  expect(mail?.text).not.toContain('Choose a password')
  const { url, token_hash: token } = await mailedLink(app, email, 'invite')
  for (const password of [undefined, PASSWORD]) {
    const refused = await tenant.post('/v1/auth/invite/accept', { token, ...(password ? { password } : {}) })
    expect([refused.status, refused.body.code, refused.body.connection_id]).toEqual([403, 'sso_required', connectionId])
  }
  const page = await (await fetch(url.replace(/^http:\/\/[^/]+/, app.baseUrl))).text()
  expect(page).toContain('Sign in with your company account')
  expect(page).not.toContain('<input')
  const work = await workOfOrganization(app, subOrgId)
  const sso = { method: 'sso', source: connectionId } as const
  const rules = { ...RULES, needsOwnDomain: true }
  expect((await signInAs(work, person({ email, emailVerified: true }), rules, sso))['error']).toBeUndefined()
  const accepted = succeeded(await tenant.get(`/v1/users/invites/${invite.id}`)).invite
  expect(accepted).toMatchObject({ status: 'accepted', accepted_by: 'sso' })
})

/** Invites an address. Returns the response, the mail, and the page that its link opens. */
async function invited(subOrgId: string, email: string) {
  const sent = succeeded(await tenant.post('/v1/users/invites', { subOrgId, email }))
  const [mail] = await app.mails(email)
  const { url, token_hash: token } = await mailedLink(app, email, 'invite')
  const page = await (await fetch(url.replace(/^http:\/\/[^/]+/, app.baseUrl))).text()
  return { ...sent, token, mail: `${mail?.text}`, page }
}

test('an invitation of a person that no connection takes says so, and works once they are exempt', async () => {
  const { subOrgId, domain, connectionId, enforce } = await organization()
  const email = `guest@${fresh()}.example`
  expect((await invited(subOrgId, `any@${fresh()}.example`)).can_sign_in).toBe(true)
  await enforce()
  const { user, invite, can_sign_in, token, mail, page } = await invited(subOrgId, email)
  expect([can_sign_in, user.status, invite.status]).toEqual([false, 'invited', 'pending'])
  for (const text of [mail, page]) {
    expect(text).toContain('Ask the person who invited you for access')
    expect(text).not.toContain('company account')
  }
  expect(page).not.toContain('<input')
  const refused = await tenant.post('/v1/auth/invite/accept', { subOrgId, token })
  expect([refused.status, refused.body.code]).toEqual([403, 'sso_required'])
  const work = await workOfOrganization(app, subOrgId)
  const sso = { method: 'sso', source: connectionId } as const
  const guest = person({ email, emailVerified: true })
  const turnedAway = await signInAs(work, guest, { ...RULES, needsOwnDomain: true }, sso)
  expect(turnedAway['error']).toBe('domain_not_verified')
  // People with an address of the connection's domain can sign in.
  expect((await invited(subOrgId, `tia@${domain}`)).can_sign_in).toBe(true)

  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, sso_exempt_user_ids: [user.id] }))
  const session = succeeded(
    await tenant.post('/v1/auth/invite/accept', { subOrgId, token, password: PASSWORD }),
  ).session
  expect(session.directory_user_id).toBe(user.id)
  await app.advance(61)
  const again = succeeded(await tenant.post(`/v1/users/${user.id}/invite`, { subOrgId }))
  expect(again.can_sign_in).toBe(true)
})

test('an invited user of another domain can sign in by a link to a connection or by provisioning', async () => {
  const { subOrgId, connectionId, enforce } = await organization()
  const { call } = await provisioned(app, tenant, subOrgId)
  const email = `gina@${fresh()}.example`
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
  const added = await call('POST', '/Users', { schemas, userName: email, emails: [{ value: email, primary: true }] })
  const [hal, ivy] = [await newUser(tenant, { subOrgId }), await newUser(tenant, { subOrgId })]
  const work = await workOfOrganization(app, subOrgId)
  const link = { method: 'sso', source: connectionId, issuer: 'https://a.example', subject: hal.id }
  await work.platform.tx((db) => insertIdentityRow(db, work.directory, { id: newId(), user_id: hal.id, ...link }))
  await enforce()
  const ways = []
  for (const id of [added.body.id, hal.id, ivy.id]) {
    const { can_sign_in } = succeeded(await tenant.post(`/v1/users/${id}/invite`, { subOrgId }))
    ways.push(can_sign_in)
  }
  expect(ways).toEqual([true, true, false])
  // Without an active connection, no user can sign in with single sign-on.
  succeeded(await tenant.patch(`/v1/sso/connections/${connectionId}`, { subOrgId, status: 'testing' }))
  expect(succeeded(await tenant.post(`/v1/users/${hal.id}/invite`, { subOrgId })).can_sign_in).toBe(false)
})

test('the list of methods says whether single sign-on is enforced', async () => {
  const { subOrgId, enforce, connectionId } = await organization()
  const enforced = async () => succeeded(await tenant.get(`/v1/auth/methods?subOrgId=${subOrgId}`)).enforced
  expect(await enforced()).toBe(false)
  await enforce()
  expect(await enforced()).toBe(true)
  // Other methods stay refused while the connection is off.
  succeeded(await tenant.patch(`/v1/sso/connections/${connectionId}`, { subOrgId, status: 'testing' }))
  expect(await enforced()).toBe(true)
})

/** What discovery returns for the organization after the person has proved the address. */
async function discovered(email: string, subOrgId: string) {
  await app.advance(61)
  const { otp_id } = succeeded(await tenant.post('/v1/auth/discovery/otp/send', { email }))
  const code = await mailedCode(app, email)
  const found = succeeded(await tenant.post('/v1/auth/discovery/otp/verify', { email, otp_id, code }))
  const { discovery_token, organizations } = found
  const entered = await tenant.post('/v1/auth/discovery/exchange', { discovery_token, subOrgId })
  const [{ requires, connection_id }] = organizations
  expect([entered.status, entered.body.connection_id ?? null]).toEqual([403, connection_id])
  return [requires, connection_id]
}

test('a user of another domain is sent to their connection, that of provisioning, or the only one', async () => {
  const { subOrgId, connectionId, enforce } = await organization()
  const { call } = await provisioned(app, tenant, subOrgId)
  const email = `gina@${fresh()}.example`
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
  const added = await call('POST', '/Users', { schemas, userName: email, emails: [{ value: email, primary: true }] })
  expect(added.status).toBe(201)
  await enforce()
  expect(await discovered(email, subOrgId)).toEqual(['sso', connectionId])
  const provider = { oidc_issuer: 'https://b.acme.example', oidc_client_id: 'ww', oidc_client_secret: 'secret' }
  const made = await tenant.post('/v1/sso/connections', { subOrgId, name: 'B', protocol: 'oidc', ...provider })
  const second = succeeded(made).connection.id
  succeeded(await tenant.patch(`/v1/sso/connections/${second}`, { subOrgId, status: 'active' }))
  // There are two connections, and nothing shows which one the user has to use.
  expect(await discovered(email, subOrgId)).toEqual(['sso', null])
  succeeded(await tenant.patch('/v1/scim/config', { subOrgId, sso_connection_id: second }))
  expect(await discovered(email, subOrgId)).toEqual(['sso', second])
  const work = await workOfOrganization(app, subOrgId)
  const { id } = added.body
  await work.platform.tx((db) =>
    insertIdentityRow(db, work.directory, {
      ...{ id: newId(), user_id: id, method: 'sso', source: connectionId, issuer: 'https://a.example', subject: id },
    }),
  )
  expect(await discovered(email, subOrgId)).toEqual(['sso', connectionId])
  // Before the address is proved, the response does not name a connection.
  const asked = succeeded(await tenant.post('/v1/auth/login/sso/discover', { subOrgId, email }))
  expect(asked).toMatchObject({ connection: null, connectionId: null, enforced: true })
})

test('an administrator mails no reset link to a user who must use single sign-on', async () => {
  const { subOrgId, ada, eve, member, connectionId, enforce } = await organization()
  await enforce()
  const reset = (id: string) => tenant.post(`/v1/users/${id}/password/reset`, { subOrgId })
  const refused = await reset(member.id)
  expect([refused.status, refused.body.code, refused.body.connection_id]).toEqual([403, 'sso_required', connectionId])
  expect(await kinds(ada)).toEqual([])
  const { users } = succeeded(await tenant.get(`/v1/users?subOrgId=${subOrgId}&email=${eve}`))
  succeeded(await reset(users[0].id))
  expect(await kinds(eve)).toEqual(['password_reset'])
})
