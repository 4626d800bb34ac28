import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { fresh } from '../../../../../test/fresh.ts'
import { type Caller, type Reply, startApp } from '../../../../../test/harness.ts'
import { type Answering, newPasskey } from '../../../../../test/people/authenticator.ts'
import { enrollTotp, succeeded } from '../../../../../test/people/factors.ts'
import { newHolder, PAGE, type PasskeyHolder, pageOf, register } from '../../../../../test/people/passkeys.ts'
import { newEmail, sessionsIn } from '../../../../../test/people/people.ts'
import { recordStatements } from '../../../../../test/rules/sql-recorder.ts'
import { enforceSso } from '../../../../../test/walkers/own-world.ts'
import { serviceIds } from '../../../tenancy/services/selection.ts'

// One login page serves all organizations. The passkey determines the organization of its user.

const app = await startApp()
const tenant = await app.tenant()
await tenant.patch('/v1/auth/settings/defaults', { sign_in_rate_limit_per_minute: 10_000 })
const VERIFY = '/v1/auth/login/passkey/verify'
const OPTIONS = '/v1/auth/login/passkey/options'

type Key = Pick<Caller, 'post'>
type How = Partial<Answering> & { email?: string }

const refusal = ({ status, body }: Reply) => [status, body.code]
const INVALID = [401, 'passkey_invalid']

/** The response of a passkey to new options of the environment. */
async function answerOf({ passkey }: Pick<PasskeyHolder, 'passkey'>, { email, ...how }: How = {}, by: Key = tenant) {
  const address = email === undefined ? {} : { email }
  const { options, challengeId } = succeeded(await by.post(OPTIONS, address))
  return { ...address, challengeId, credential: passkey.use(options, { origin: pageOf(options.rpId), ...how }) }
}

const signIn = async (holder: Pick<PasskeyHolder, 'passkey'>, how: How = {}, by: Key = tenant) =>
  by.post(VERIFY, await answerOf(holder, how, by))

const services = (without: string) => ({ enabledAppIds: serviceIds.filter((id) => id !== without) })

/** A user with a passkey, in an organization of their own. */
const holderIn = async (how: Partial<Answering> = {}) => newHolder(tenant, await tenant.organization(), how)

/** One passkey that users in several organizations have. Its user handle is the last user's. */
async function sharedBy(count: number, how: Partial<Answering> = {}) {
  const passkey = newPasskey()
  const email = newEmail()
  const holders: { subOrgId: string; userId: string; email: string; passkey: typeof passkey }[] = []
  for (let n = 0; n < count; n++) {
    const subOrgId = await tenant.organization()
    const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email }))
    const holder = { subOrgId, userId: user.id, email, passkey }
    succeeded(await register(tenant, holder, passkey, how))
    holders.push(holder)
  }
  return holders
}

test('a passkey opens a session in the organization of its user, with or without the address', async () => {
  const holder = await holderIn()
  await holderIn()
  await tenant.patch('/v1/mfa/policy', { subOrgId: holder.subOrgId, require_mfa: true, grace_period_days: 0 })
  for (const how of [{}, { email: '' }, { email: holder.email.toUpperCase() }]) {
    const { session } = succeeded(await signIn(holder, how))
    expect(decodeJwt(session.access_token)).toMatchObject({
      amr: ['pop', 'user', 'mfa'],
      aal: 'aal2',
      directory_user_id: holder.userId,
    })
    succeeded(
      await tenant.post('/v1/auth/token/refresh', { subOrgId: holder.subOrgId, refresh_token: session.refresh_token }),
    )
  }
  expect(await sessionsIn(tenant, holder.subOrgId)).toHaveLength(3)
  const created = await app.events({ accountId: tenant.accountId, type: 'session.created' })
  expect(created.slice(-3).map(({ organization_id }) => organization_id)).toEqual(Array(3).fill(holder.subOrgId))
})

// Runs before the clock is moved, because authenticator apps do not follow the moved clock.
test('a passkey without verification is one factor: an enrolled second one is asked for', async () => {
  const own = await app.tenant()
  succeeded(await own.patch('/v1/auth/passkey/settings/defaults', { user_verification: 'preferred' }))
  const { subOrganization } = succeeded(await own.post('/v1/organizations', { name: fresh(), slug: fresh() }))
  const { subOrgId, ...holder } = await newHolder(own, subOrganization.id)
  await enrollTotp(own, holder.userId, { subOrgId })
  const held = succeeded(await signIn(holder, { userVerified: false }, own))
  expect(held).toMatchObject({
    session: null,
    mfa_required: true,
    methods: expect.arrayContaining(['totp']),
    sub_org_id: subOrgId,
    organization: { subOrgId, name: subOrganization.name, slug: subOrganization.slug },
  })
  expect(succeeded(await signIn(holder, {}, own)).session).toMatchObject({ directory_user_id: holder.userId })
})

test('options list no passkey and run the same statements, whatever the address', async () => {
  const holder = await holderIn()
  const ask = async (body: object) => {
    let reply: Reply | undefined
    const texts = await recordStatements(async () => {
      reply = await tenant.post(OPTIONS, body)
    })
    return {
      options: succeeded(reply as Reply).options,
      texts: texts.filter((text) => !/graphile_worker\.|update api_keys/.test(text)),
    }
  }
  await ask({ email: newEmail() })
  const [known, unknown] = [await ask({ email: holder.email }), await ask({ email: newEmail() })]
  expect(known.texts).toEqual(unknown.texts)
  for (const { options } of [known, unknown, await ask({}), await ask({ email: '', conditional: true })])
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      timeout: 300_000,
      rpId: 'localhost',
      allowCredentials: [],
      userVerification: 'required',
    })
  expect((await tenant.post(OPTIONS, { email: 'no address' })).status).toBe(400)
})

test('an organization with origins of its own is entered from these alone', async () => {
  const holder = await holderIn()
  const { subOrgId } = holder
  succeeded(await tenant.patch('/v1/auth/passkey/settings', { subOrgId, origins: ['http://localhost:9999'] }))
  expect(refusal(await signIn(holder, { origin: 'http://localhost:3000' }))).toEqual(INVALID)
  expect(await sessionsIn(tenant, subOrgId)).toEqual([])
  succeeded(await signIn(holder, { origin: 'http://localhost:9999' }))
  succeeded(await tenant.patch('/v1/auth/passkey/settings', { subOrgId, origins: null }))
  succeeded(await signIn(holder, { origin: 'http://localhost:3000' }))
})

test('what is wrong with an answer is refused, and opens no session', async () => {
  const holder = await holderIn({ counter: 5 })
  const other = await holderIn()
  const wrong: How[] = [
    { origin: 'https://localhost:3000' },
    { crossOrigin: true },
    { rpId: 'evil.example' },
    { challenge: Buffer.alloc(32).toString('base64url') },
    { userVerified: false },
    { counter: 5 },
    { userHandle: null },
    { userHandle: Buffer.from(other.userId.replaceAll('-', ''), 'hex').toString('base64url') },
    { email: other.email },
    { email: newEmail() },
  ]
  for (const how of wrong)
    expect([how, ...refusal(await signIn(holder, { counter: 9, ...how }))]).toEqual([how, ...INVALID])
  const forged = newPasskey({ credentialId: Buffer.from(holder.passkey.id, 'base64url') })
  const userHandle = Buffer.from(holder.userId.replaceAll('-', ''), 'hex').toString('base64url')
  expect(refusal(await signIn({ passkey: forged }, { userHandle, counter: 9 }))).toEqual(INVALID)
  expect(refusal(await signIn({ passkey: newPasskey() }, { userHandle }))).toEqual(INVALID)
  expect(await sessionsIn(tenant, holder.subOrgId)).toEqual([])
  // Each refusal is recorded in the directory of the passkey.
  const failed = await app.events({ accountId: tenant.accountId, type: 'auth.login.failed' })
  const own = failed.filter(({ organization_id }) => organization_id === holder.subOrgId)
  expect(own).toHaveLength(wrong.length + 1)
  expect(own.every(({ target_id }) => target_id === holder.userId)).toBe(true)
})

test('a challenge takes one answer, of the environment alone', async () => {
  const holder = await holderIn()
  const right = await answerOf(holder)
  const replies = await Promise.all(Array.from({ length: 8 }, () => tenant.post(VERIFY, right)))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)])
  const spoilt = await answerOf(holder)
  expect(refusal(await tenant.post(VERIFY, { ...spoilt, email: newEmail() }))).toEqual(INVALID)
  expect(refusal(await tenant.post(VERIFY, spoilt))).toEqual(INVALID)
  const late = await answerOf(holder)
  await app.advance(301)
  expect(refusal(await tenant.post(VERIFY, late))).toEqual(INVALID)
  // An organization does not accept a challenge of the environment, and the environment none of an organization.
  const { subOrgId } = holder
  expect(refusal(await tenant.post(VERIFY, { ...(await answerOf(holder)), subOrgId }))).toEqual(INVALID)
  const inside = succeeded(await tenant.post(OPTIONS, { subOrgId, conditional: true }))
  const credential = holder.passkey.use(inside.options, { origin: PAGE })
  expect(refusal(await tenant.post(VERIFY, { challengeId: inside.challengeId, credential }))).toEqual(INVALID)
  expect(await sessionsIn(tenant, subOrgId)).toHaveLength(1)
})

test('of answers with one counter at once a single one opens a session', async () => {
  const holder = await holderIn({ counter: 1 })
  const answers = []
  for (let n = 0; n < 6; n++) answers.push(await answerOf(holder, { counter: 2 }))
  const replies = await Promise.all(answers.map((answer) => tenant.post(VERIFY, answer)))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(401)])
})

const states: [string, (holder: PasskeyHolder) => Promise<Reply>, unknown[]][] = [
  ['suspended', ({ subOrgId }) => tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' }), INVALID],
  ['archived', ({ subOrgId }) => tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'archived' }), INVALID],
  [
    'passkeys off',
    ({ subOrgId }) => tenant.put('/v1/organization-apps', { subOrgId, ...services('passkeys') }),
    INVALID,
  ],
  [
    'another rp_id',
    ({ subOrgId }) => tenant.patch('/v1/auth/passkey/settings', { subOrgId, rp_id: 'acme.example' }),
    INVALID,
  ],
  [
    'passkey deleted',
    ({ subOrgId, credentialId }) => tenant.delete(`/v1/webauthn/credentials/${credentialId}?subOrgId=${subOrgId}`),
    INVALID,
  ],
  ['user deleted', ({ subOrgId, userId }) => tenant.delete(`/v1/users/${userId}?subOrgId=${subOrgId}`), INVALID],
  [
    'user inactive',
    ({ subOrgId, userId }) => tenant.patch(`/v1/users/${userId}`, { subOrgId, active: false }),
    [403, 'user_inactive'],
  ],
  [
    'user locked',
    ({ subOrgId, userId }) => tenant.post(`/v1/users/${userId}/lock`, { subOrgId, reason: 'test' }),
    [403, 'user_locked'],
  ],
]

test.each(states)('%s: no session, and none of a challenge from before', async (_, change, expected) => {
  const holder = await holderIn()
  const before = await answerOf(holder)
  succeeded(await change(holder))
  expect(refusal(await tenant.post(VERIFY, before))).toEqual(expected)
  expect(refusal(await signIn(holder))).toEqual(expected)
})

test('where single sign-on is enforced, a passkey does not open the organization', async () => {
  const holder = await holderIn()
  await enforceSso({ app, tenant, subOrgId: holder.subOrgId })
  expect(refusal(await signIn(holder))).toEqual([403, 'sso_required'])
  expect(await sessionsIn(tenant, holder.subOrgId)).toEqual([])
})

test('an organization with a setting of its own decides whether it has the service', async () => {
  const own = await app.tenant()
  const holders = []
  for (let n = 0; n < 2; n++) {
    const { subOrganization } = succeeded(await own.post('/v1/organizations', { name: fresh(), slug: fresh() }))
    holders.push(await newHolder(own, subOrganization.id))
  }
  const [inherits, differs] = holders as [PasskeyHolder, PasskeyHolder]
  succeeded(await own.put('/v1/organization-apps', { subOrgId: differs.subOrgId, enabledAppIds: serviceIds }))
  succeeded(await own.put('/v1/organization-apps/defaults', services('passkeys')))
  expect(refusal(await signIn(inherits, {}, own))).toEqual(INVALID)
  succeeded(await signIn(differs, {}, own))
})

test('the stricter verification of defaults and organization counts', async () => {
  const own = await app.tenant()
  const { subOrganization } = succeeded(await own.post('/v1/organizations', { name: fresh(), slug: fresh() }))
  const holder = await newHolder(own, subOrganization.id)
  const { subOrgId } = holder
  const set = (at: string, value: string) =>
    own.patch(`/v1/auth/passkey/settings${at}`, { ...(at ? {} : { subOrgId }), user_verification: value })
  for (const [defaults, organization, opens] of [
    ['preferred', 'preferred', true],
    ['preferred', 'required', false],
    ['required', 'preferred', false],
  ] as const) {
    succeeded(await set('/defaults', defaults))
    succeeded(await set('', organization))
    const reply = await signIn(holder, { userVerified: false }, own)
    expect([defaults, organization, reply.status]).toEqual([defaults, organization, opens ? 200 : 401])
    if (opens) expect(decodeJwt(reply.body.session.access_token)).toMatchObject({ amr: ['pop', 'user'], aal: 'aal1' })
  }
})

test('a passkey of before the organization chose a relying party below that of the environment opens nothing', async () => {
  const own = await app.tenant()
  const origin = 'https://login.acme.example'
  const origins = { origins: [origin, 'https://acme.example'] }
  succeeded(await own.patch('/v1/auth/passkey/settings/defaults', { rp_id: 'acme.example', ...origins }))
  const { subOrganization } = succeeded(await own.post('/v1/organizations', { name: fresh(), slug: fresh() }))
  const holder = await newHolder(own, subOrganization.id)
  succeeded(await signIn(holder, { origin }, own))
  const { subOrgId } = holder
  // Both the defaults and the organization now accept the page's origin.
  succeeded(await own.patch('/v1/auth/passkey/settings', { subOrgId, rp_id: 'login.acme.example', origins: [origin] }))
  expect(refusal(await signIn(holder, { origin }, own))).toEqual(INVALID)
})

test('keys of other environments and accounts, or of one organization, do not reach it', async () => {
  const holder = await holderIn()
  const staging = await tenant.withKey({ environment: 'staging' })
  for (const by of [staging, await app.tenant()]) expect(refusal(await signIn(holder, {}, by))).toEqual(INVALID)
  // A challenge of another environment is not valid here.
  expect(refusal(await tenant.post(VERIFY, await answerOf(holder, {}, staging)))).toEqual(INVALID)
  const other = await tenant.withKey({ subOrgId: await tenant.organization() })
  const answer = await answerOf(holder)
  expect(refusal(await other.post(VERIFY, answer))).toEqual(INVALID)
  expect(refusal(await other.post(OPTIONS, {}))).toEqual([400, 'invalid_request'])
  succeeded(await tenant.post(VERIFY, answer))
})

test('several organizations that hold the passkey: a discovery token, which opens each once and as strongly', async () => {
  // The passkey is backed up, so its counter proves nothing, and the token itself must work only once.
  const backup = { eligible: true, state: true }
  const holders = await sharedBy(3, { backup })
  const [first, , last] = holders as [PasskeyHolder, PasskeyHolder, PasskeyHolder]
  await tenant.patch('/v1/mfa/policy', { subOrgId: first.subOrgId, require_mfa: true, grace_period_days: 0 })
  const found = succeeded(await signIn(first, { backup }))
  expect(found).toEqual({
    session: null,
    discovery_token: expect.stringMatching(/^dsc_v1\./),
    expires_at: expect.any(String),
    organizations: expect.any(Array),
  })
  const shown = {
    name: expect.any(String),
    slug: expect.any(String),
    state: 'active',
    requires: null,
    connection_id: null,
  }
  expect(found.organizations).toHaveLength(3)
  for (const { subOrgId } of holders) expect(found.organizations).toContainEqual({ subOrgId, ...shown })
  for (const { subOrgId } of holders) expect(await sessionsIn(tenant, subOrgId)).toEqual([])
  const enter = (subOrgId: string) =>
    tenant.post('/v1/auth/discovery/exchange', { subOrgId, discovery_token: found.discovery_token })
  expect(refusal(await enter(await tenant.organization()))).toEqual([400, 'discovery_token_invalid'])
  for (const { subOrgId, userId } of [first, last]) {
    const replies = await Promise.all(Array.from({ length: 4 }, () => enter(subOrgId)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
    const { session } = replies.find(({ status }) => status === 200)?.body ?? {}
    expect(decodeJwt(session.access_token)).toMatchObject({
      amr: ['pop', 'user', 'mfa'],
      aal: 'aal2',
      directory_user_id: userId,
    })
    expect(await sessionsIn(tenant, subOrgId)).toEqual([
      expect.objectContaining({ auth_method: 'passkey', aal: 'aal2' }),
    ])
  }
  succeeded(await tenant.patch('/v1/auth/settings/defaults', { discovery_create_organizations: true }))
  const create = { discovery_token: found.discovery_token, name: 'Acme' }
  expect(refusal(await tenant.post('/v1/auth/discovery/create', create))).toEqual([400, 'discovery_token_invalid'])
})

test('the token opens nothing that closed since, that another use of the passkey overtook, or after ten minutes', async () => {
  const closings: [string, (holder: PasskeyHolder) => Promise<Reply>, unknown[]][] = [
    [
      'service',
      ({ subOrgId }) => tenant.put('/v1/organization-apps', { subOrgId, ...services('passkeys') }),
      [403, 'service_disabled'],
    ],
    [
      'organization',
      ({ subOrgId }) => tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' }),
      [403, 'organization_suspended'],
    ],
    [
      'user',
      ({ subOrgId, userId }) => tenant.patch(`/v1/users/${userId}`, { subOrgId, active: false }),
      [400, 'discovery_token_invalid'],
    ],
    [
      'rp_id',
      ({ subOrgId }) => tenant.patch('/v1/auth/passkey/settings', { subOrgId, rp_id: 'acme.example' }),
      [400, 'discovery_token_invalid'],
    ],
    [
      'counter',
      async ({ subOrgId, passkey }) => {
        const inside = succeeded(await tenant.post(OPTIONS, { subOrgId, conditional: true }))
        const credential = passkey.use(inside.options, { origin: PAGE, counter: 9 })
        return tenant.post(VERIFY, { subOrgId, challengeId: inside.challengeId, credential })
      },
      [400, 'discovery_token_invalid'],
    ],
    [
      'cut-off',
      async ({ subOrgId, userId }) => {
        succeeded(await tenant.patch(`/v1/users/${userId}`, { subOrgId, active: false }))
        return tenant.patch(`/v1/users/${userId}`, { subOrgId, active: true })
      },
      [400, 'discovery_token_invalid'],
    ],
    [
      'time',
      async () => {
        await app.advance(601)
        return tenant.get('/v1/api-keys/current')
      },
      [400, 'discovery_token_invalid'],
    ],
  ]
  for (const [what, close, expected] of closings) {
    const [, last] = (await sharedBy(2, { counter: 1 })) as [PasskeyHolder, PasskeyHolder]
    const { discovery_token } = succeeded(await signIn(last, { counter: 2 }))
    succeeded(await close(last))
    const reply = await tenant.post('/v1/auth/discovery/exchange', { subOrgId: last.subOrgId, discovery_token })
    expect([what, ...refusal(reply)]).toEqual([what, ...expected])
  }
})

test('organizations that a passkey does not open are left out, and named where they require single sign-on', async () => {
  const holders = (await sharedBy(4)) as PasskeyHolder[]
  const [inactive, sso, plain, last] = holders as [PasskeyHolder, PasskeyHolder, PasskeyHolder, PasskeyHolder]
  succeeded(await tenant.patch(`/v1/users/${inactive.userId}`, { subOrgId: inactive.subOrgId, active: false }))
  await enforceSso({ app, tenant, subOrgId: sso.subOrgId })
  const { organizations, discovery_token } = succeeded(await signIn(last))
  const requires = new Map(
    organizations.map((each: { subOrgId: string; requires: string }) => [each.subOrgId, each.requires]),
  )
  expect(requires).toEqual(
    new Map([
      [sso.subOrgId, 'sso'],
      [plain.subOrgId, null],
      [last.subOrgId, null],
    ]),
  )
  const enter = (subOrgId: string) => tenant.post('/v1/auth/discovery/exchange', { subOrgId, discovery_token })
  expect(refusal(await enter(sso.subOrgId))).toEqual([403, 'sso_required'])
  expect(refusal(await enter(inactive.subOrgId))).toEqual([400, 'discovery_token_invalid'])
})

test('passkeys that others register with the same credential id change nothing for its user', async () => {
  const passkey = newPasskey()
  const others = []
  for (let n = 0; n < 3; n++) {
    const subOrgId = await tenant.organization()
    const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email: newEmail() }))
    const same = newPasskey({ credentialId: Buffer.from(passkey.id, 'base64url') })
    succeeded(await register(tenant, { subOrgId, userId: user.id }, same))
    others.push(same)
  }
  const subOrgId = await tenant.organization()
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email: newEmail() }))
  succeeded(await register(tenant, { subOrgId, userId: user.id }, passkey))
  expect(succeeded(await signIn({ passkey })).session.directory_user_id).toBe(user.id)
  const userHandle = Buffer.from(user.id.replaceAll('-', ''), 'hex').toString('base64url')
  for (const same of others) expect(refusal(await signIn({ passkey: same }, { userHandle }))).toEqual(INVALID)
  expect(await sessionsIn(tenant, subOrgId)).toHaveLength(1)
})

test('a sign-in takes four statements, two of them at once', async () => {
  const holder = await holderIn()
  succeeded(await signIn(holder))
  const answer = await answerOf(holder)
  const texts = await recordStatements(async () => {
    succeeded(await tenant.post(VERIFY, answer))
  })
  expect(texts.filter((text) => !/graphile_worker\.|update api_keys/.test(text))).toHaveLength(4)
})
