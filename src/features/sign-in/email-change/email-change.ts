import { Type } from 'typebox'
import { identify } from '../../../platform/crypto/identity.ts'
import { invalidField } from '../../../platform/errors.ts'
import { record } from '../../../platform/events/events.ts'
import { burn } from '../../../platform/joined/proofs.ts'
import { countAct, idBytes } from '../../../platform/limits/rate-limit.ts'
import { maskEmail, requireEmail } from '../../../platform/mail/address.ts'
import { countMail } from '../../../platform/mail/limits.ts'
import { queueMail } from '../../../platform/mail/outbox.ts'
import type { OwnWork } from '../../../platform/tenancy/own-work.ts'
import { fits } from '../../../platform/validator.ts'
import { inTx, type TxWork } from '../../../platform/work.ts'
import { assertDoorOpen } from '../../access/login/login.ts'
import { assertRedirectAllowed } from '../../access/redirects/redirects.ts'
import { lockOwnRow } from '../../access/self-management/self-management.ts'
import { revokeUserSessions } from '../../access/sessions/sessions.ts'
import { changeHeldUser, userEndReasons } from '../../directory/users/changes/changes.ts'
import { getUser, type HeldUser, type UserRow, userErrors } from '../../directory/users/users.ts'
import { linkErrors, voidLinks } from '../links/links.ts'
import { consumeLink, redeemLink } from '../links/presented/presented.ts'
import { defineMailedPurpose } from '../links/purposes/purposes.ts'
import { mailLink } from '../links/send-link/send-link.ts'
import { codeProof, codeSent, mailedCodeSettings, sendLimits, signInCodeErrors } from '../otp/otp.ts'
import { issueOtp, proveOwnCode, type SentCode } from '../otp/sign-in-codes/sign-in-codes.ts'
import { newAddressMail } from './emails.ts'
import { emailChangeErrors } from './errors.ts'
import { noticeOfChange } from './undo.ts'

const purpose = 'email_change'
// Counts all addresses together, so that one user cannot send mail to many strangers.
const ofOnePerson = [{ bucket: 'email_change.hour', limit: 10, windowSeconds: 3600 }]

/**
 * The link to a page of the application that is mailed with the code and expires with it. The owner of the new mailbox
 * may follow a link that a stranger requested, so the link only works with the session that asked.
 */
const linkPurpose = defineMailedPurpose('email_change', 'email_change', { replaces: 'user' })

/** The code that was sent in the same mail, and the session that requested the change. */
const LinkDetails = Type.Object({ otpId: Type.String(), sessionId: Type.String() })

/**
 * Mails a code to the new address, and a link if there is a page for it. Nothing changes yet. Does not reveal whether
 * the address is taken before the mailbox is proved.
 * Throws `invalid_request`, `invalid_redirect_uri`, `scim_managed`, `rate_limited`, `method_disabled`,
 * `organization_suspended`, `account_locked`, `team_email_fixed`.
 */
export async function beginEmailChange(
  work: OwnWork,
  { email, redirectTo }: { email: string; redirectTo: string | null },
): Promise<SentCode> {
  assertMayChangeEmail(work)
  const { platform, caller } = work
  const user = await getUser(work, caller.directoryUserId)
  const who = identify(platform, requireNewAddress(user, email))
  if (redirectTo !== null) await assertRedirectAllowed(work, redirectTo)
  await countAct(work, idBytes(user.id), ofOnePerson)
  const settings = await mailedCodeSettings(work)
  await assertDoorOpen(work, who)
  const rate = await countMail(work, who, sendLimits(settings), { leaves: true, byAnyone: false })
  return inTx(work, async (work) => {
    // Always makes a new code. If several users want the same address, each needs their own code.
    const otp = await issueOtp(work, { purpose, userId: user.id, identity: who.hash, settings })
    const { otpId, expiresAt, ttlSeconds } = otp
    // A link that went to a mistyped address must not work after the user has entered another address.
    await voidLinks(work, user, linkPurpose)
    const mail = { to: { email: who.address.email, locale: user.locale }, asker: user.email, otp, ttlSeconds }
    if (redirectTo === null) await queueMail(work, newAddressMail({ ...mail, url: null }), ttlSeconds)
    else
      await mailLink(work, {
        purpose: linkPurpose,
        who,
        locale: user.locale,
        userId: user.id,
        details: { otpId, sessionId: caller.sessionId },
        decoy: null,
        ttlSeconds,
        delivery: { redirectTo, deliver: true },
        compose: (_, { url }) => newAddressMail({ ...mail, url }),
      })
    await record(work, codeSent({ otpId, purpose, userId: user.id }))
    return { otpId, expiresAt, deliveryHint: maskEmail(who.address.email), rate }
  })
}

/** The user after a change, and the number of sessions that ended. */
export interface ChangedEmail {
  user: UserRow
  ended: number
}

/**
 * Changes the caller's address to the address that the code proves. Notifies the old address, with an undo link if
 * that address was proved. Ends the user's other sessions and pending sign-ins. Throws `otp_invalid`, `otp_expired`,
 * `otp_too_many_attempts`, `email_exists`, `scim_managed`, `team_email_fixed`, `invalid_request`.
 */
export async function finishEmailChange(
  work: OwnWork,
  sent: { email: string; otpId: string; code: string },
): Promise<ChangedEmail> {
  assertMayChangeEmail(work)
  const { platform, caller } = work
  const who = identify(platform, requireEmail(sent.email))
  const mine = { purpose, otpId: sent.otpId, code: sent.code, userId: caller.directoryUserId } as const
  const proof = await proveOwnCode(work, who, mine)
  return inTx(work, async (work) => {
    const held = await lockOwnRow(work)
    if (!(await burn(work, proof, held.id))) throw signInCodeErrors.otpInvalid()
    await voidLinks(work, held, linkPurpose)
    return change(work, held, sent.email)
  })
}

/**
 * Changes the address with the mailed link, in the session that requested the change. Throws `token_invalid` and
 * `token_expired` instead of the errors of codes.
 */
export async function finishEmailChangeByLink(
  work: OwnWork,
  { email, token }: { email: string; token: string },
): Promise<ChangedEmail> {
  assertMayChangeEmail(work)
  const who = identify(work.platform, requireEmail(email))
  return redeemLink(work, { who, token, purposes: [linkPurpose] }, ({ link }) =>
    inTx(work, async (work) => {
      // Lock order: lock the user first, as a sign-in does.
      const held = await lockOwnRow(work)
      if (!fits(LinkDetails, link.details)) throw new Error('The details of a link are not readable')
      const { otpId, sessionId } = link.details
      const isOwn = link.user_id === held.id && sessionId === work.caller.sessionId
      if (!isOwn || !(await consumeLink(work, link))) throw linkErrors.tokenInvalid()
      const code = codeProof({ otp_id: otpId, otp_purpose: purpose })
      if (!(await burn(work, code, held.id))) throw linkErrors.tokenInvalid()
      return change(work, held, email)
    }),
  )
}

/** Changes the address after the proof of the new mailbox was consumed. */
async function change(work: OwnWork & TxWork, held: HeldUser, email: string): Promise<ChangedEmail> {
  const address = requireNewAddress(held, email)
  const noticeOfOwn = await noticeOfChange(work, held, address.email)
  const proved = { scim_managed: false, isProved: true, isTouched: false, noticeOfOwn }
  const user = await changeHeldUser(work, held, { email: address.email }, proved)
  const ended = await revokeUserSessions(work, user.id, userEndReasons.email_changed, [work.caller.sessionId])
  return { user, ended }
}

/**
 * Team memberships belong to an address, so a member with a new address would get its memberships. Throws
 * `team_email_fixed`.
 */
function assertMayChangeEmail({ directory }: OwnWork): void {
  if (directory.kind === 'console') throw emailChangeErrors.emailOfTeam()
}

/** Returns the address as it is stored. Throws `invalid_request` if the address is unchanged, and `scim_managed`. */
function requireNewAddress(user: UserRow, email: string) {
  const address = requireEmail(email)
  if (user.scim_managed) throw userErrors.scimManaged()
  if (address.norm !== user.email_norm) return address
  throw invalidField('email', 'unchanged', 'email is already the current address')
}
