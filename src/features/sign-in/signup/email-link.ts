import { type Static, Type } from 'typebox'
import { type Identity, identify } from '../../../platform/crypto/identity.ts'
import { requireEmail } from '../../../platform/mail/address.ts'
import { canonicalLocale } from '../../../platform/messages/locale.ts'
import { fits } from '../../../platform/validator.ts'
import type { Work } from '../../../platform/work.ts'
import {
  assertMaySignIn,
  completeMailboxLogin,
  type SessionReply,
  type SignInFacts,
  type SignInMethod,
} from '../../access/login/login.ts'
import { SignupProfile } from '../../directory/users/users.ts'
import { emailVerificationSettings } from '../email-verification/email-verification.ts'
import { type LinkRow, linkErrors, linkSettings } from '../links/links.ts'
import { magicLinkMethod } from '../links/magic-link/magic-link.ts'
import { proofOfLink, redeemLink } from '../links/presented/presented.ts'
import { defineMailedPurpose } from '../links/purposes/purposes.ts'
import { type LinkDelivery, type SentLink, sendLink } from '../links/send-link/send-link.ts'
import { signupLinkMail } from './emails.ts'
import { signupEvents } from './events.ts'
import { signUpByMailbox } from './first-session.ts'
import { assertSignupAllowed, signupMethod } from './policy.ts'

export const signupPurpose = defineMailedPurpose('signup', 'signup')

// The data in the link of a future user. A decoy has none.
const Waiting = Type.Object({ profile: SignupProfile })

export interface SignupLinkInput extends SignupProfile {
  email: string
  openSignup?: boolean
  delivery: LinkDelivery
}

/**
 * Mails a link that finishes a sign-up. The user is created only when the link is redeemed. An existing user gets a
 * link that signs them in, which expires as early as any sign-in link (ASVS 6.5.5). The response does not show whether
 * the address has a user.
 * Throws `signup_disabled`, and what `sendLink` throws.
 */
export async function sendSignupLink(work: Work, sent: SignupLinkInput): Promise<SentLink> {
  const { email, openSignup, delivery, firstName = null, lastName = null, phone = null } = sent
  const locale = canonicalLocale(sent.locale ?? '')
  const { open } = await assertSignupAllowed(work, openSignup)
  const { email_verification_ttl_seconds: ttlSeconds } = await emailVerificationSettings.effective(work)
  const settings = await linkSettings.effective(work)
  const waiting: Static<typeof Waiting> = { profile: { firstName, lastName, phone, locale } }
  return sendLink(work, {
    purpose: signupPurpose,
    email,
    delivery,
    ttlSeconds,
    limits: [
      { bucket: 'signup_link.send.minute', limit: settings.magic_link_rate_limit_per_minute, windowSeconds: 60 },
      { bucket: 'signup_link.send.hour', limit: settings.magic_link_rate_limit_per_hour, windowSeconds: 3600 },
    ],
    addressee(facts) {
      if (!facts) return open ? { userId: null, details: waiting, locale } : null
      if (!facts.active) return null
      const ownTtl = facts.pending ? ttlSeconds : Math.min(ttlSeconds, settings.magic_link_ttl_seconds)
      return { userId: facts.user_id, ttlSeconds: ownTtl }
    },
    compose: (_, mail, addressee) => signupLinkMail(mail, addressee?.userId ? 'signIn' : 'signUp'),
    opensSession: true,
    event: signupEvents.linkSent,
  })
}

/**
 * Exchanges the link for a session of the user that it creates, or of the user who has the address by now. Throws
 * `token_invalid`, `token_expired`, `signup_disabled`, and what the gates throw.
 */
export async function verifySignupLink(work: Work, presented: { email: string; token: string }): Promise<SessionReply> {
  const { email, token } = presented
  const who = identify(work.platform, requireEmail(email))
  return redeemLink(work, { who, token, purposes: [signupPurpose] }, async ({ link, facts }) => {
    if (facts) await assertMaySignIn(work, facts)
    const profile = profileOf(link)
    const isTheirs = link.user_id === null ? profile !== null : link.user_id === facts?.user_id
    if (!isTheirs) throw linkErrors.tokenInvalid()
    // If a user got the address meanwhile, the link signs them in and must not be valid longer than a sign-in link.
    if (facts && link.user_id === null && (await isOlderThanSignIn(work, link))) throw linkErrors.tokenExpired()
    const answer = facts ? await signInByLink(work, link, facts) : await signUpByLink(work, link, who, profile ?? {})
    // Another request used the link first.
    if (!answer) throw linkErrors.tokenInvalid()
    return answer
  })
}

async function isOlderThanSignIn(work: Work, link: LinkRow): Promise<boolean> {
  const { magic_link_ttl_seconds: ttl } = await linkSettings.effective(work)
  return link.age_seconds > ttl
}

function profileOf({ details }: LinkRow): SignupProfile | null {
  return fits(Waiting, details) ? details.profile : null
}

function signInByLink(work: Work, link: LinkRow, facts: SignInFacts): Promise<SessionReply | null> {
  return completeMailboxLogin(work, facts, {
    ...proofBy(link, facts.pending ? signupMethod : magicLinkMethod),
    linkId: link.id,
  })
}

function proofBy(link: LinkRow, method: SignInMethod) {
  return { method, amr: ['otp'], spends: [proofOfLink(link)] }
}

function signUpByLink(work: Work, link: LinkRow, who: Identity, profile: SignupProfile): Promise<SessionReply | null> {
  const signUp = { who, profile, proof: proofBy(link, signupMethod) }
  return signUpByMailbox(work, signUp, (facts) => signInByLink(work, link, facts))
}
