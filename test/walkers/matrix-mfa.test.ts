import { describe, expect, test } from 'vitest'
import { trustDevice } from '../../src/features/access/mfa/devices.ts'
import { findDirectory } from '../../src/platform/tenancy/directory.ts'
import { inTx } from '../../src/platform/work.ts'
import { routes } from '../../src/wiring/routes.ts'
import { type Reply, startApp } from '../harness.ts'
import { newPasskey } from '../people/authenticator.ts'
import { makeProvenUser, plantTotp, signInByLink, succeeded } from '../people/factors.ts'
import { newExchangeCode, workOfOrganization } from '../people/federation.ts'
import { register, signInBy } from '../people/passkeys.ts'
import { newEmail } from '../people/people.ts'
import { mailedCode, mailedLink } from '../people/sign-in.ts'
import { workIn } from '../work.ts'
import { nameOf } from './samples.ts'

// Every route whose answer has a session, against every state that a second factor may depend on.

const app = await startApp()
const tenant = await app.tenant()
const { platform } = app.app
const PASSWORD = 'correct horse battery staple'

interface Person {
  subOrgId: string
  id: string
  email: string
}

type Headers = Record<string, string>
/** `session`: at once; `grace`: at once, with the end of the grace; `challenge`, `enrollment`: none yet. */
type Outcome = 'session' | 'grace' | 'challenge' | 'enrollment'

async function mailed(person: Person, path: string, kind: string, body: object = {}) {
  const { subOrgId, email } = person
  succeeded(await tenant.post(path, { subOrgId, ...(path.includes(person.id) ? {} : { email }), ...body }))
  return (await mailedLink(app, email, kind)).token_hash
}

const setPassword = async ({ id, subOrgId }: Person) =>
  succeeded(await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD }))

/** The steps before a route; run before the state is set, it returns the call itself. */
type Begin = (person: Person) => Promise<(headers: Headers) => Promise<Reply>>

function byCode(purpose: 'login' | 'signup'): Begin {
  return async (person) => {
    const { subOrgId, email } = person
    const { otp_id } = succeeded(await tenant.post(`/v1/auth/${purpose}/otp/send`, { subOrgId, email }))
    const body = { subOrgId, email, otp_id, code: await mailedCode(app, email) }
    return (headers) => tenant.post(`/v1/auth/${purpose}/otp/verify`, body, headers)
  }
}

function byLink(send: string, kind: string, redeem: string, more: object = {}): Begin {
  return async (person) => {
    const token_hash = await mailed(person, send, kind)
    const { subOrgId, email } = person
    return (headers) => tenant.post(redeem, { subOrgId, email, token_hash, ...more }, headers)
  }
}

const byNewcomer =
  (path: string, more: object = {}): Begin =>
  async ({ subOrgId }) =>
  (headers) =>
    tenant.post(path, { subOrgId, email: newEmail(), openSignup: true, ...more }, headers)

const states = ['no MFA', 'enrolled', 'in grace', 'after grace', 'role-enforced', 'trusted device'] as const
type State = (typeof states)[number]

const FOR_A_METHOD: Record<State, Outcome> = {
  'no MFA': 'session',
  enrolled: 'challenge',
  'in grace': 'grace',
  'after grace': 'enrollment',
  'role-enforced': 'enrollment',
  'trusted device': 'session',
}
// Whom the call itself makes: a member with no factor and no device.
const FOR_A_NEWCOMER: Record<State, Outcome> = {
  ...FOR_A_METHOD,
  enrolled: 'session',
  'role-enforced': 'session',
}
const TWO_FACTORS: Record<State, Outcome> = {
  'no MFA': 'session',
  enrolled: 'session',
  'in grace': 'session',
  'after grace': 'session',
  'role-enforced': 'session',
  'trusted device': 'session',
}

const rows: Record<string, { begin: Begin; answers: Record<State, Outcome> }> = {
  'POST /v1/auth/login/otp/verify': { begin: byCode('login'), answers: FOR_A_METHOD },
  'POST /v1/auth/signup/otp/verify': { begin: byCode('signup'), answers: FOR_A_METHOD },
  'POST /v1/auth/login/magic-link/verify': {
    begin: byLink('/v1/auth/login/magic-link/send', 'magic_link', '/v1/auth/login/magic-link/verify'),
    answers: FOR_A_METHOD,
  },
  'POST /v1/auth/signup/authenticate-email/verify': {
    begin: byLink(
      '/v1/auth/signup/authenticate-email/send',
      'signup_link',
      '/v1/auth/signup/authenticate-email/verify',
    ),
    answers: FOR_A_METHOD,
  },
  'POST /v1/auth/login/password': {
    async begin(person) {
      await setPassword(person)
      const { subOrgId, email } = person
      return (headers) => tenant.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD }, headers)
    },
    answers: FOR_A_METHOD,
  },
  'POST /v1/auth/password/reset/confirm': {
    begin: byLink('/v1/auth/password/reset/send', 'password_reset', '/v1/auth/password/reset/confirm', {
      password: PASSWORD,
    }),
    // A new password ends the trust in devices.
    answers: { ...FOR_A_METHOD, 'trusted device': 'challenge' },
  },
  'POST /v1/auth/discovery/exchange': {
    async begin({ subOrgId, email }) {
      const { otp_id } = succeeded(await tenant.post('/v1/auth/discovery/otp/send', { email }))
      const sent = { email, otp_id, code: await mailedCode(app, email) }
      const { discovery_token } = succeeded(await tenant.post('/v1/auth/discovery/otp/verify', sent))
      return (headers) => tenant.post('/v1/auth/discovery/exchange', { subOrgId, discovery_token }, headers)
    },
    answers: FOR_A_METHOD,
  },
  'POST /v1/auth/invite/accept': {
    async begin(person) {
      const token = await mailed(person, `/v1/users/${person.id}/invite`, 'invite')
      const body = { subOrgId: person.subOrgId, token, password: PASSWORD }
      return (headers) => tenant.post('/v1/auth/invite/accept', body, headers)
    },
    answers: FOR_A_METHOD,
  },
  'POST /v1/auth/signup': { begin: byNewcomer('/v1/auth/signup'), answers: FOR_A_NEWCOMER },
  'POST /v1/auth/signup/password': {
    begin: byNewcomer('/v1/auth/signup/password', { password: PASSWORD }),
    answers: FOR_A_NEWCOMER,
  },
  'POST /v1/auth/token/refresh': {
    async begin({ subOrgId, email }) {
      const { session } = succeeded(await signInByLink(tenant, email, { subOrgId }))
      const body = { subOrgId, refresh_token: session.refresh_token }
      return (headers) => tenant.post('/v1/auth/token/refresh', body, headers)
    },
    // A user who enrolls voluntarily is not asked in the middle of a session.
    answers: { ...FOR_A_METHOD, enrolled: 'session' },
  },
  'POST /v1/auth/login/passkey/verify': {
    async begin({ subOrgId, id: userId, email }) {
      const passkey = newPasskey()
      const { credential } = succeeded(await register(tenant, { subOrgId, userId }, passkey))
      const holder = { subOrgId, userId, email, passkey, credentialId: String(credential.id) }
      return () => signInBy(tenant, holder)
    },
    // Verified by the device: two factors in one.
    answers: TWO_FACTORS,
  },
  'POST /v1/auth/token/exchange': {
    begin: async ({ subOrgId, id: userId }) => {
      const work = await workOfOrganization(app, subOrgId)
      const code = await newExchangeCode(work, userId)
      return (headers) => tenant.post('/v1/auth/token/exchange', { subOrgId, code }, headers)
    },
    answers: FOR_A_METHOD,
  },
}

/** The second step itself, which FOR_A_METHOD leads to; its own tests are in features/challenges. */
const SECOND_STEPS = ['POST /v1/mfa/challenge/verify', 'PUT /v1/mfa/totp']

async function setState(state: State, person: Person): Promise<Headers> {
  const { subOrgId, id } = person
  const policy = async (patch: object) =>
    succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, ...patch }))
  const row = await platform.db.selectFrom('users').select('directory_id').where('id', '=', id).executeTakeFirst()
  const directory = row && (await findDirectory(platform, row.directory_id))
  if (!directory) throw new Error('A user without a directory')
  switch (state) {
    case 'no MFA':
      return {}
    case 'enrolled':
      await plantTotp(app, directory, id, true)
      return {}
    case 'in grace':
      await policy({ grace_period_days: 7 })
      return {}
    case 'after grace':
      await policy({ grace_period_days: 0 })
      return {}
    case 'role-enforced':
      await platform.db.updateTable('users').set({ role: 'admin' }).where('id', '=', id).execute()
      await policy({ grace_period_days: 0, enforce_for_roles: ['admin', 'owner'] })
      return {}
    case 'trusted device': {
      succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, trusted_device_days: 30 }))
      await plantTotp(app, directory, id, true)
      const device = { userId: id, userAgent: null, days: 30 }
      const { token } = await inTx(workIn(platform, directory), (work) => trustDevice(work, device))
      return { 'x-trusted-device': token }
    }
  }
}

async function expectOutcome(reply: Reply, expected: Outcome) {
  const body = succeeded(reply)
  if (expected === 'session') expect(body).toEqual({ session: expect.any(Object) })
  else if (expected === 'grace')
    expect(body).toEqual({
      session: expect.any(Object),
      mfa: { required: true, enrolled: false, grace_ends_at: expect.any(String) },
    })
  else
    expect(body).toEqual({
      session: null,
      mfa_required: true,
      challenge_token: expect.stringMatching(/^mfa_/),
      challenge_expires_at: expect.any(String),
      directory_user_id: expect.any(String),
      sub_org_id: expect.any(String),
      organization: { subOrgId: body.sub_org_id, name: expect.any(String), slug: expect.any(String) },
      methods: ['totp'],
      enrollment_required: expected === 'enrollment',
    })
}

test('every route whose answer has a session has a row, and every row a route', () => {
  const found = routes
    .filter((route) => 'session' in Object(Reflect.get(Object(route.replies[200]), 'properties')))
    .map(nameOf)
  // Who acts for a user has no factor of theirs: that is allowed by their organization instead.
  const acting = ['POST /v1/users/{userId}/impersonate']
  // Into an organization that is not there before, under the policy of the defaults: its own test asks for the factor.
  const founding = ['POST /v1/auth/discovery/create']
  expect(found.sort()).toEqual([...Object.keys(rows), ...SECOND_STEPS, ...acting, ...founding].sort())
})

describe.each(Object.keys(rows))('%s', (name) => {
  test.each(states)('%s', async (state) => {
    const row = rows[name]
    if (!row) throw new Error('No row')
    const subOrgId = await tenant.organization()
    const person = { subOrgId, ...(await makeProvenUser(tenant, subOrgId)) }
    const open = await row.begin(person)
    const headers = await setState(state, person)
    const sessions = () => platform.db.selectFrom('sessions').select('id').execute()
    const before = await sessions()
    const expected = row.answers[state]
    await expectOutcome(await open(headers), expected)
    const opensOne = (expected === 'session' || expected === 'grace') && !name.endsWith('/refresh')
    expect(await sessions()).toHaveLength(before.length + (opensOne ? 1 : 0))
  })
})
