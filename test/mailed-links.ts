import { signInFromTwo } from './devices.ts'
import type { Tenant, TestApp } from './harness.ts'
import { bearing, changeAddress } from './own-world.ts'
import { newEmail } from './people.ts'
import { type MailedLink, mailedLink, signIn } from './sign-in.ts'

/** The `type` of the links that a backend redeems: of a new address it is the person's own app. */
export const keyedLinkTypes = [
  'magiclink',
  'signup',
  'invite',
  'recovery',
  'verification',
  'unlock',
  'email_undo',
  'not_me',
] as const
export type KeyedLinkType = (typeof keyedLinkTypes)[number]

/** Of every link of an organization that leads to the page of the service. */
export const organizationLinkTypes = [...keyedLinkTypes, 'email_change'] as const
/** Of every one: discovery is of no organization. */
export const linkTypes = [...organizationLinkTypes, 'discovery'] as const
export type LinkType = (typeof linkTypes)[number]

/** What a link of each type is for, as rows and events say. Permanent, like the types. */
export const purposeNames: Record<LinkType, string> = {
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
    case 'email_change': {
      const { access_token } = await signIn(app, tenant, subOrgId, email)
      const wanted = newEmail()
      const begun = await bearing(app, access_token).post('/v1/me/email', { email: wanted })
      if (begun.status !== 200) throw new Error(`No link: ${begun.text}`)
      return { person: { ...person, email: wanted }, link: await mailedLink(app, wanted, 'email_change_otp') }
    }
  }
}
