import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { beginFederated } from '../../src/features/federation/federation/begin/begin.ts'
import { listKeptSms } from '../../src/platform/sms/outbox.ts'
import type { Tenant, TestApp } from '../harness.ts'
import { signInFromTwo } from '../people/devices.ts'
import { enrollTotp, sentSmsCode, signInByLink, succeeded } from '../people/factors.ts'
import { APPLICATION, newExchangeCode, workOfOrganization } from '../people/federation.ts'
import { newEmail, newUser, type Person } from '../people/people.ts'
import { mailedCode, mailedLink, signIn } from '../people/sign-in.ts'
import { bearing, changeAddress } from './own-world.ts'

const PASSWORD = 'correct horse battery staple'
const NEW = 'a quite different sentence'

export interface Secret {
  otp_id: string
  /** A code, or the token of a link. */
  text: string
}

/** Makes one-time secrets of every kind, and presents them. */
export function oneTimeSecrets(app: TestApp, tenant: Tenant) {
  async function newPerson(): Promise<Person> {
    const subOrgId = await tenant.organization()
    await tenant.patch('/v1/auth/settings', { subOrgId, open_signup_default: true })
    return newUser(tenant, { subOrgId })
  }

  async function sent(path: string, person: Person, body: object = {}) {
    const { subOrgId, email } = person
    const reply = await tenant.post(path, { subOrgId, ...(path.includes('{') ? {} : { email }), ...body })
    expect(reply.status, reply.text).toBe(200)
    return reply.body
  }

  const linked = async (person: Person, kind: string): Promise<Secret> => ({
    otp_id: randomUUID(),
    text: (await mailedLink(app, person.email, kind)).token_hash,
  })

  const setPassword = (person: Person, body: object = {}) =>
    tenant.put(`/v1/users/${person.id}/password`, { subOrgId: person.subOrgId, password: PASSWORD, ...body })

  /** Whom a challenge was created for. */
  const codes = new Map<string, string[]>()

  /** A sign-in of the person, enrolled by now, that waits for a second factor. */
  async function newChallenge({ subOrgId, id, email }: Person): Promise<string> {
    const verified = { email: `proven-${email}`, emailVerified: true }
    const made = await tenant.put('/v1/users', { subOrgId, users: [verified] })
    const userId = made.body.created[0].id
    codes.set(id, (await enrollTotp(tenant, userId, { subOrgId })).backupCodes)
    const reply = await signInByLink(tenant, verified.email, { subOrgId })
    return reply.body.challenge_token
  }

  const secrets: Record<string, (person: Person) => Promise<Secret>> = {
    'code of the generator': async (person) => {
      const made = await sent('/v1/otp/generate', person)
      return { otp_id: made.otp_id, text: made.code }
    },
    'sign-in code': async (person) => {
      const { otp_id } = await sent('/v1/auth/login/otp/send', person)
      return { otp_id, text: await mailedCode(app, person.email) }
    },
    'sign-in code by SMS': async (person) => {
      const { subOrgId, id } = person
      await app.app.platform.db.updateTable('users').set({ email_verified: true }).where('id', '=', id).execute()
      succeeded(await tenant.patch('/v1/otp/settings', { subOrgId, sms_allowed_countries: ['US'] }))
      succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, sms_sign_in_enabled: true }))
      succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId, allowed_methods: ['totp', 'backup', 'sms'] }))
      const phone = '+14155550150'
      succeeded(await tenant.post('/v1/mfa/sms', { subOrgId, userId: id, phone }))
      succeeded(await tenant.put('/v1/mfa/sms', { subOrgId, userId: id, code: await sentSmsCode(app, phone) }))
      await enrollTotp(tenant, id, { subOrgId })
      const { otp_id } = await sent('/v1/auth/login/otp/send', person, { channel: 'sms' })
      const [text] = await listKeptSms(app.app.platform, { limit: 1, to: null })
      return { otp_id, text: /code: ([a-z ]+)\./.exec(text?.text ?? '')?.[1] ?? '' }
    },
    'sign-up code': async (person) => {
      const { otp_id } = await sent('/v1/auth/signup/otp/send', person)
      return { otp_id, text: await mailedCode(app, person.email) }
    },
    'sign-in link': async (person) => {
      await sent('/v1/auth/login/magic-link/send', person)
      return linked(person, 'magic_link')
    },
    'reset link': async (person) => {
      await sent('/v1/auth/password/reset/send', person)
      return linked(person, 'password_reset')
    },
    'token for a due change': async (person) => {
      await setPassword(person, { mustChange: true })
      const { subOrgId, email } = person
      const reply = await tenant.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD })
      return { otp_id: randomUUID(), text: reply.body.token_hash }
    },
    invitation: async (person) => {
      await tenant.post(`/v1/users/${person.id}/invite`, { subOrgId: person.subOrgId })
      return linked(person, 'invite')
    },
    'verification link': async (person) => {
      await tenant.post(`/v1/users/${person.id}/verify/resend`, { subOrgId: person.subOrgId })
      return linked(person, 'email_verification')
    },
    'sign-up link': async (person) => {
      await sent('/v1/auth/signup/authenticate-email/send', person)
      return linked(person, 'signup_link')
    },
    'challenge of a second factor': async (person) => ({
      otp_id: randomUUID(),
      text: await newChallenge(person),
    }),
    'trusted device': async (person) => {
      const { subOrgId, id } = person
      await tenant.patch('/v1/auth/settings', { subOrgId, trusted_device_days: 30 })
      const challenge_token = await newChallenge(person)
      const body = { subOrgId, challenge_token, code: codes.get(id)?.[1], trust_device: true }
      const reply = await tenant.post('/v1/mfa/challenge/verify', body)
      return { otp_id: randomUUID(), text: reply.body.trusted_device_token }
    },
    'exchange code': async ({ subOrgId, id: userId }) => {
      const work = await workOfOrganization(app, subOrgId)
      const text = await newExchangeCode(work, userId)
      return { otp_id: randomUUID(), text }
    },
    'state of a sign-in at a provider': async ({ subOrgId }) => {
      const work = await workOfOrganization(app, subOrgId)
      const begun = { method: 'sso', source: randomUUID(), redirectUri: APPLICATION, responseMode: 'code' } as const
      return { otp_id: randomUUID(), text: (await beginFederated(work, begun)).state }
    },
    'undo link': async (person) => {
      const { access_token } = await signIn(app, tenant, person.subOrgId, person.email)
      succeeded(await changeAddress(app, bearing(app, access_token), newEmail()))
      return linked(person, 'own_email_changed')
    },
    'link about a new device': async (person) => {
      await signInFromTwo(app, tenant, person)
      return linked(person, 'new_device')
    },
    'link to a new address': async (person) => {
      const { access_token } = await signIn(app, tenant, person.subOrgId, person.email)
      const email = newEmail()
      // The page of an application, on this machine.
      const redirectTo = 'http://localhost:3000/new-address'
      succeeded(await bearing(app, access_token).post('/v1/me/email', { email, redirectTo }))
      return linked({ ...person, email }, 'email_change_otp')
    },
    'link of discovery': async (person) => {
      succeeded(await tenant.post('/v1/auth/discovery/magic-link/send', { email: person.email }))
      return linked(person, 'discovery_link')
    },
    'unlock link': async (person) => {
      await setPassword(person)
      const { subOrgId, email } = person
      for (let i = 0; i < 10; i++)
        await tenant.post('/v1/auth/login/password', { subOrgId, email, password: `no ${i}` })
      const made = await linked(person, 'account_locked')
      // So that nothing else refuses.
      await app.app.platform.db.deleteFrom('lockouts').execute()
      return made
    },
  }

  /** Where a secret may be spent, by the secrets that belong there. */
  const consumers: Record<string, { takes: string[]; body(person: Person, secret: Secret): object }> = {
    '/v1/otp/validate': {
      takes: ['code of the generator'],
      body: (_, { otp_id, text }) => ({ otp_id, code: text.slice(0, 100) }),
    },
    '/v1/auth/login/otp/verify': {
      takes: ['sign-in code', 'sign-in code by SMS'],
      body: ({ email }, { otp_id, text }) => ({ email, otp_id, code: text.slice(0, 100) }),
    },
    '/v1/auth/signup/otp/verify': {
      takes: ['sign-up code'],
      body: ({ email }, { otp_id, text }) => ({ email, otp_id, code: text.slice(0, 100) }),
    },
    '/v1/auth/login/magic-link/verify': {
      takes: ['sign-in link'],
      body: ({ email }, { text }) => ({ email, token_hash: text }),
    },
    '/v1/auth/password/reset/confirm': {
      takes: ['reset link', 'token for a due change'],
      body: ({ email }, { text }) => ({ email, token_hash: text, password: NEW }),
    },
    '/v1/auth/invite/accept': { takes: ['invitation'], body: (_, { text }) => ({ token: text, password: NEW }) },
    '/v1/auth/email/verify': {
      takes: ['verification link'],
      body: ({ email }, { text }) => ({ email, token_hash: text }),
    },
    '/v1/auth/signup/authenticate-email/verify': {
      takes: ['sign-up link'],
      body: ({ email }, { text }) => ({ email, token_hash: text }),
    },
    '/v1/mfa/challenge/verify': {
      takes: ['challenge of a second factor'],
      body: ({ id }, { text }) => ({ challenge_token: text.slice(0, 100), code: codes.get(id)?.[0] ?? '123456' }),
    },
    '/v1/auth/token/exchange': { takes: ['exchange code'], body: (_, { text }) => ({ code: text.slice(0, 200) }) },
    '/v1/auth/token/refresh': { takes: [], body: (_, { text }) => ({ refresh_token: text }) },
    '/v1/auth/email/undo': { takes: ['undo link'], body: ({ email }, { text }) => ({ email, token_hash: text }) },
    '/v1/auth/devices/disown': {
      takes: ['link about a new device'],
      body: ({ email }, { text }) => ({ email, token_hash: text }),
    },
    '/v1/auth/unlock': { takes: ['unlock link'], body: ({ email }, { text }) => ({ email, token_hash: text }) },
  }

  /** Presents a secret of a person to a route. Returns whether it was accepted. */
  async function present(path: string, person: Person, secret: Secret) {
    const reply = await tenant.post(path, { subOrgId: person.subOrgId, ...consumers[path]?.body(person, secret) })
    return { isAccepted: reply.status === 200 && reply.body.valid !== false, reply }
  }

  return { secrets, consumers, newPerson, present }
}
