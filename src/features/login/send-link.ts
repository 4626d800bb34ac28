import { type EventInput, record } from '../../platform/events.ts'
import type { Principal } from '../../platform/http/authenticate.ts'
import { authorize } from '../../platform/http/authorize.ts'
import { countSend, type RateLimit, type RateState } from '../../platform/http/rate-limit.ts'
import { maskEmail, requireEmail } from '../../platform/mail/address.ts'
import { type Message, queueMail } from '../../platform/mail/outbox.ts'
import { inTx, type TxWork, type Work } from '../../platform/work.ts'
import { type LinkPurpose, linkUrl, makeLink } from '../links/links.ts'
import { otpSettings, sendCeilings } from '../otp/otp.ts'
import { assertDoorOpen, findSignInFacts, type Identity, identify } from './door.ts'
import { assertRedirectAllowed } from './redirects.ts'
import type { SignInFacts } from './store.ts'

/** How a link leaves. */
export interface LinkDelivery {
  /** Where it leads: an entry of `allowed_redirect_uris`; null: the page of the service. */
  redirectTo: string | null
  /** False: the answer carries the link instead of a mail, for callers that send their own. */
  deliver: boolean
}

/** Reads what a request says of delivery. Throws `insufficient_scope`, `invalid_redirect_uri`. */
export async function readDelivery(
  work: Work,
  principal: Principal,
  body: { redirectTo?: string; deliver?: boolean },
): Promise<LinkDelivery> {
  const { redirectTo = null, deliver = true } = body
  if (!deliver) authorize(principal, 'links.issue')
  if (redirectTo !== null) await assertRedirectAllowed(work, redirectTo)
  return { redirectTo, deliver }
}

/** What a mail about a link is made of. */
export interface LinkMail {
  to: string
  url: string
  ttlSeconds: number
}

export interface LinkToMail {
  purpose: Exclude<LinkPurpose, 'password_change'>
  who: Identity
  /** Null on a decoy, and where redeeming the link makes the user. */
  userId: string | null
  details?: Record<string, unknown>
  /** The mail is dropped instead of sent: nobody has the address. */
  decoy: boolean
  ttlSeconds: number
  delivery: LinkDelivery
  compose(work: TxWork, mail: LinkMail): Promise<Message> | Message
}

export interface MailedLink {
  linkId: string
  expiresAt: Date
  /** Only where the caller delivers it. */
  url: string | null
}

/** Makes a link and mails it, in the caller's transaction. */
export async function mailLink(work: TxWork, link: LinkToMail): Promise<MailedLink> {
  const { purpose, who, userId, ttlSeconds, delivery } = link
  const made = await makeLink(work, {
    purpose,
    userId,
    identity: who.hash,
    ttlSeconds,
    ...(link.details ? { details: link.details } : {}),
  })
  const { email, norm } = who.address
  // In one spelling: that of the record would tell whether there is one.
  const url = linkUrl(work.platform, { purpose, token: made.token, email: norm, redirectTo: delivery.redirectTo })
  const message = await link.compose(work, { to: email, url, ttlSeconds })
  const decoy = link.decoy || !delivery.deliver
  await queueMail(work, { ...message, decoy }, ttlSeconds)
  return { linkId: made.id, expiresAt: made.expiresAt, url: delivery.deliver ? null : url }
}

export interface Addressee {
  userId: string | null
  details?: Record<string, unknown>
  /** Where this link may live less long than the answer says, which is the same for everybody. */
  ttlSeconds?: number
}

// Mails of all kinds to one address: many routes together must not flood it.
const ofAnyKind: RateLimit[] = [
  { bucket: 'mail.minute', limit: 10, windowSeconds: 60 },
  { bucket: 'mail.hour', limit: 30, windowSeconds: 3600 },
]

/** Counts a mail to an address before it is made. Throws `rate_limited`. */
export async function countMail(work: Work, who: Identity, limits: RateLimit[]): Promise<RateState> {
  return countSend(work, who.hash, [...limits, ...ofAnyKind], sendCeilings(await otpSettings(work)))
}

export interface LinkRequest {
  purpose: LinkToMail['purpose']
  email: string
  delivery: LinkDelivery
  ttlSeconds: number
  /** Of the address. */
  limits: RateLimit[]
  /** Whom the link is for, of whoever has the address; null: nobody, so that the link is a decoy. */
  addressee(facts: SignInFacts | null): Addressee | null
  compose(work: TxWork, mail: LinkMail, userId: string | null): Promise<Message> | Message
  /** The event of a link that was made for somebody. */
  event: string
}

export interface SentLink extends MailedLink {
  deliveryHint: string
  rate: RateState
}

/**
 * Mails a link to the address, if it is for somebody. Known and unknown addresses take the same path through the same
 * statements: the unknown one gets a link that redeems nothing and a mail that is dropped instead of sent (ASVS 6.3.8).
 * Throws `invalid_request`, `rate_limited`, `organization_suspended`, `account_locked`.
 */
export async function sendLink(work: Work, request: LinkRequest): Promise<SentLink> {
  const { purpose, delivery, ttlSeconds } = request
  const who = identify(work.platform, requireEmail(request.email))
  await assertDoorOpen(work, who)
  const rate = await countMail(work, who, request.limits)
  const facts = await findSignInFacts(work, who)
  const addressee = request.addressee(facts)
  const userId = addressee?.userId ?? null
  const ownTtlSeconds = addressee?.ttlSeconds ?? ttlSeconds
  const link = await inTx(work, async (work) => {
    const made = await mailLink(work, {
      purpose,
      // As it is stored, where somebody has it.
      who: facts && addressee ? { ...who, address: { ...who.address, email: facts.email } } : who,
      userId,
      ...(addressee?.details ? { details: addressee.details } : {}),
      decoy: addressee === null,
      ttlSeconds: ownTtlSeconds,
      delivery,
      compose: (work, mail) => request.compose(work, mail, userId),
    })
    const sent = {
      type: request.event,
      ...(userId ? { target: { type: 'user', id: userId } } : {}),
      data: { link_id: made.linkId, channel: 'email' },
    }
    await record(work, addressee ? sent : nothingSent(purpose, facts))
    return made
  })
  const expiresAt = new Date(link.expiresAt.getTime() + (ttlSeconds - ownTtlSeconds) * 1000)
  return { ...link, expiresAt, deliveryHint: maskEmail(who.address.email), rate }
}

/** The event of a send for an address where nobody may sign in. */
export function nothingSent(method: string, facts: SignInFacts | null): EventInput {
  const type = 'auth.login.failed'
  if (!facts || facts.active) return { type, data: { method, reason: 'no_such_user' } }
  return { type, target: { type: 'user', id: facts.user_id }, data: { method, reason: 'user_inactive' } }
}
