import { type Identity, identify } from '../../../../platform/crypto/identity.ts'
import { type EventFactory, record } from '../../../../platform/events/events.ts'
import { recordFailure } from '../../../../platform/events/failures.ts'
import type { RateLimit, RateState } from '../../../../platform/limits/rate-limit.ts'
import { maskEmail, requireEmail } from '../../../../platform/mail/address.ts'
import { countMail } from '../../../../platform/mail/limits.ts'
import { type Message, queueMail } from '../../../../platform/mail/outbox.ts'
import type { Reader } from '../../../../platform/messages/language.ts'
import { type DecoyReason, decoyReasonOf } from '../../../../platform/outbox/decoy.ts'
import { authorize } from '../../../../platform/tenancy/authorize.ts'
import type { ManagerCaller } from '../../../../platform/tenancy/caller.ts'
import { inTx, type TxWork, type Work } from '../../../../platform/work.ts'
import { assertDoorOpen, type SignInFacts } from '../../../access/login/login.ts'
import { enforcementFor, signInAccessUnder } from '../../../access/login/sso-only/sso-only.ts'
import { assertRedirectAllowed } from '../../../access/redirects/redirects.ts'
import { describeNothingSent } from '../../otp/otp.ts'
import { singleSignOnMail } from '../../otp/sign-in-codes/sign-in-codes.ts'
import type { LinkEventData } from '../events.ts'
import { assertMayHandOver, issueLink, linkUrl } from '../link.ts'
import type { MailedPurpose } from '../purposes/purposes.ts'

/** How a link is delivered. */
export interface LinkDelivery {
  /** Where the link leads: an entry of `allowed_redirect_uris`, or null for the hosted page. */
  redirectTo: string | null
  /** False for callers that send their own mails. They get the link in the response. */
  deliver: boolean
}

/** Reads the delivery options of a request. Throws `insufficient_scope`, `team_link_withheld`, `invalid_redirect_uri`. */
export async function readDelivery(
  work: Work,
  caller: ManagerCaller,
  body: { redirectTo?: string; deliver?: boolean },
): Promise<LinkDelivery> {
  const { redirectTo = null, deliver = true } = body
  if (!deliver) {
    authorize(caller, 'links.issue')
    // Checked before the mail is counted, so that the refusal reveals nothing about the address.
    assertMayHandOver(work)
  }
  if (redirectTo !== null) await assertRedirectAllowed(work, redirectTo)
  return { redirectTo, deliver }
}

/** The data about a link that its mail needs. */
export interface LinkMailData {
  to: Reader
  url: string
  ttlSeconds: number
}

export interface MailLinkInput {
  purpose: MailedPurpose
  who: Identity
  /** The language of the user with the address, if there is one. */
  locale: string | null
  /** Null for a decoy, and if redeeming the link creates the user. */
  userId: string | null
  details?: Record<string, unknown>
  /** Why the mail is dropped instead of sent, for example because no user has the address. */
  decoy: DecoyReason | null
  /** True for a link that redeems nothing and that the mail does not show. */
  isUnused?: boolean
  ttlSeconds: number
  delivery: LinkDelivery
  /** Which older links this link voids. If absent, the purpose decides. */
  replaces?: MailedPurpose['replaces']
  compose(work: TxWork, mail: LinkMailData): Promise<Message> | Message
}

export interface MailedLink {
  linkId: string
  expiresAt: Date
  /** Set only if the caller delivers it. */
  url: string | null
}

/** Issues a link and queues its mail, in the caller's transaction. Throws `team_link_withheld`. */
export async function mailLink(work: TxWork, link: MailLinkInput): Promise<MailedLink> {
  const { purpose, who, userId, ttlSeconds, delivery } = link
  if (!delivery.deliver) assertMayHandOver(work)
  const made = await issueLink(work, {
    purpose,
    userId,
    identity: who.hash,
    ttlSeconds,
    ...(link.details ? { details: link.details } : {}),
    ...(link.replaces ? { replaces: link.replaces } : {}),
    isDecoy: link.decoy !== null || link.isUnused === true,
  })
  const { email, norm } = who.address
  // Uses the spelling of the request. The stored spelling would reveal that a user exists.
  const url = linkUrl(work, { purpose, token: made.token, email: norm, redirectTo: delivery.redirectTo })
  const message = await link.compose(work, { to: { email, locale: link.locale }, url, ttlSeconds })
  const isPrinted = work.origin.actor.type === 'cli'
  const kept = isPrinted ? 'the command line printed the link' : 'the link was returned to the caller (deliver: false)'
  const decoy = link.decoy ?? (delivery.deliver ? null : kept)
  await queueMail(work, { ...message, decoy }, ttlSeconds)
  return { linkId: made.id, expiresAt: made.expiresAt, url: delivery.deliver ? null : url }
}

export interface Addressee {
  userId: string | null
  details?: Record<string, unknown>
  /** Set if the link expires earlier than the response says. The response is the same for every address. */
  ttlSeconds?: number
  /** The language to use if no user has the address yet. */
  locale?: string | null
}

export interface SendLinkInput {
  purpose: MailedPurpose
  email: string
  delivery: LinkDelivery
  ttlSeconds: number
  /** Limits for each address. */
  limits: RateLimit[]
  /** Chooses the addressee, given the user of the address. Null makes the link a decoy. */
  addressee(facts: SignInFacts | null): Addressee | null
  compose(work: TxWork, mail: LinkMailData, addressee: Addressee | null): Promise<Message> | Message
  /** Whether the link opens a session. A user who must use single sign-on then gets a mail that says so instead. */
  opensSession: boolean
  /** The event that is recorded unless the link is a decoy. */
  event: EventFactory<typeof LinkEventData>
}

export interface SentLink extends MailedLink {
  deliveryHint: string
  rate: RateState
}

/**
 * Mails a link to the address, if its user may have one. The same statements run for known and unknown addresses: for
 * an unknown address, the link redeems nothing and the mail is dropped instead of sent (ASVS 6.3.8).
 * Throws `invalid_request`, `rate_limited`, `organization_suspended`, `account_locked`.
 */
export async function sendLink(work: Work, request: SendLinkInput): Promise<SentLink> {
  const { purpose, delivery, ttlSeconds } = request
  const who = identify(work.platform, requireEmail(request.email))
  const { person: facts } = await assertDoorOpen(work, who)
  const addressee = request.addressee(facts)
  const enforcement = request.opensSession ? await enforcementFor(work, facts) : 'off'
  const way = await signInAccessUnder(work, enforcement, who.address.norm)
  const isBound = way !== 'any'
  const leaves = addressee !== null && delivery.deliver
  const rate = await countMail(work, who, request.limits, { leaves, byAnyone: true })
  const userId = isBound ? null : (addressee?.userId ?? null)
  const ownTtlSeconds = addressee?.ttlSeconds ?? ttlSeconds
  const link = await inTx(work, async (work) => {
    const made = await mailLink(work, {
      purpose,
      // Uses the stored spelling if a user has the address.
      who: facts && addressee ? { ...who, address: { ...who.address, email: facts.email } } : who,
      locale: facts ? facts.locale : (addressee?.locale ?? null),
      userId,
      isUnused: isBound,
      ...(addressee?.details && !isBound ? { details: addressee.details } : {}),
      decoy: addressee ? null : decoyReasonOf(facts, request.purpose.type === 'signup'),
      ttlSeconds: ownTtlSeconds,
      delivery,
      compose: async (work, mail) => {
        // Composed for every address, because composing may issue a code whose id is in the response.
        const message = await request.compose(work, mail, isBound ? null : addressee)
        return isBound ? singleSignOnMail(mail.to, way) : message
      },
    })
    const sent = request.event({
      ...(userId ? { target: { type: 'user', id: userId } } : {}),
      data: { link_id: made.linkId, channel: 'email' },
    })
    if (addressee && !isBound) await record(work, sent)
    else await recordFailure(work, who.hash, describeNothingSent(purpose.name, facts, isBound && addressee !== null))
    return made
  })
  const expiresAt = new Date(link.expiresAt.getTime() + (ttlSeconds - ownTtlSeconds) * 1000)
  return { ...link, expiresAt, deliveryHint: maskEmail(who.address.email), rate }
}
