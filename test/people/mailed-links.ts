import type { Tenant, TestApp } from '../harness.ts'
import { bearing, changeAddress } from '../walkers/own-world.ts'
import { signInFromTwo } from './devices.ts'
import { newEmail } from './people.ts'
import { type MailedLink, mailedLink, signIn } from './sign-in.ts'

/** The `type` of the links of an organization that a backend redeems, and that lead to the page of the service. */
export const organizationLinkTypes = [
  'magiclink',
  'signup',
  'invite',
  'recovery',
  'verification',
  'unlock',
  'email_undo',
  'not_me',
] as const
/** Of every one: discovery is of no organization. */
export const linkTypes = [...organizationLinkTypes, 'discovery'] as const
/** Of those of an organization. */
export type OrganizationLinkType = (typeof organizationLinkTypes)[number]
export type LinkType = (typeof linkTypes)[number]

/**
 * What a link of each type is for, as rows and events say. Permanent, like the types. That to a new address leads to a page
 * of the application, where the person is signed in.
 */
export const purposeNames: Record<LinkType | 'email_change', string> = {
  magiclink: 'magic_link',
  signup: 'signup',
  invite: 'invite',
  recovery: 'password_reset',
  verification: 'email_verification',
  unlock: 'unlock',
  email_undo: 'email_change_undo',
  not_me: 'sign_in_disown',
  email_change: 'email_change',
  discovery: 'discovery',
}

/** Where a backend redeems a link of each type. */
export const redeemedAt: Record<OrganizationLinkType, string> = {
  magiclink: '/v1/auth/login/magic-link/verify',
  signup: '/v1/auth/signup/authenticate-email/verify',
  invite: '/v1/auth/invite/accept',
  recovery: '/v1/auth/password/reset/confirm',
  verification: '/v1/auth/email/verify',
  unlock: '/v1/auth/unlock',
  email_undo: '/v1/auth/email/undo',
  not_me: '/v1/auth/devices/disown',
}

/** What it sends there, without the organization. */
export function redeemBody(type: OrganizationLinkType, email: string, token: string) {
  const password = 'correct horse battery staple'
  if (type === 'invite') return { token, password }
  return { email, token_hash: token, ...(type === 'recovery' ? { password } : {}) }
}

export interface Person {
  subOrgId: string
  email: string
  /** Null for a sign-up link, which creates the user. */
  userId: string | null
}

/** Has a link of a type mailed to a fresh recipient, over the API. */
export async function mailLinkTo(
  app: TestApp,
  tenant: Tenant,
  type: LinkType,
  options: { subOrgId?: string } = {},
): Promise<{ person: Person; link: MailedLink }> {
  const subOrgId = options.subOrgId ?? (await tenant.organization())
  const email = newEmail()
  const post = async (path: string, body: object) => {
    const reply = await tenant.post(path, { subOrgId, ...body })
    if (reply.status !== 200) throw new Error(`No link: ${reply.text}`)
    return reply.body
  }
  if (type === 'signup') {
    await post('/v1/auth/signup/authenticate-email/send', { email, openSignup: true })
    return { person: { subOrgId, email, userId: null }, link: await mailedLink(app, email, 'signup_link') }
  }
  const { user } = await post('/v1/users', { email })
  const person = { subOrgId, email, userId: String(user.id) }
  const mailed = async (kind: string) => ({ person, link: await mailedLink(app, email, kind) })
  switch (type) {
    case 'magiclink':
      await post('/v1/auth/login/magic-link/send', { email })
      return mailed('magic_link')
    case 'discovery':
      await tenant.post('/v1/auth/discovery/magic-link/send', { email })
      return mailed('discovery_link')
    case 'invite':
      await post(`/v1/users/${user.id}/invite`, {})
      return mailed('invite')
    case 'recovery':
      await post('/v1/auth/password/reset/send', { email })
      return mailed('password_reset')
    case 'verification':
      await post(`/v1/users/${user.id}/verify/resend`, {})
      return mailed('email_verification')
    case 'unlock':
      await tenant.patch('/v1/auth/settings', { subOrgId, lockout_max_attempts: 3 })
      for (const _ of [1, 2, 3]) await tenant.post('/v1/auth/login/password', { subOrgId, email, password: 'not this' })
      return mailed('account_locked')
    case 'email_undo': {
      const { access_token } = await signIn(app, tenant, subOrgId, email)
      await changeAddress(app, bearing(app, access_token), newEmail())
      return mailed('own_email_changed')
    }
    case 'not_me':
      await signInFromTwo(app, tenant, person)
      return mailed('new_device')
  }
}
