import { identify } from '../../platform/crypto/identity.ts'
import { invalidField } from '../../platform/errors.ts'
import { record } from '../../platform/events.ts'
import { countAct, idBytes } from '../../platform/http/rate-limit.ts'
import { maskEmail, requireEmail } from '../../platform/mail/address.ts'
import { countMail } from '../../platform/mail/limits.ts'
import { queueMail } from '../../platform/mail/outbox.ts'
import { burn } from '../../platform/proofs.ts'
import { inTx } from '../../platform/work.ts'
import { assertDoorOpen } from '../login/login.ts'
import {
  issueOtp,
  mailedCodeSettings,
  otpEvents,
  proveOwnCode,
  type SentCode,
  sendLimits,
  signInCodeErrors,
} from '../otp/otp.ts'
import { revokeUserSessions } from '../sessions/sessions.ts'
import { changeHeldUser, getUser, type UserRow, userEndReasons, userErrors } from '../users/users.ts'
import { newAddressMail } from './emails.ts'
import { holdOwn, type OwnWork } from './freshness.ts'
import { noticeOfChange } from './undo-email.ts'

const purpose = 'email_change'
// Whatever addresses they name: nobody mails strangers through their account.
const ofOnePerson = [{ bucket: 'email_change.hour', limit: 10, windowSeconds: 3600 }]

/**
 * Mails a code to the address that the caller wants to have; nothing changes yet. Whether somebody else has it is not told
 * before the mailbox is proved. Throws `invalid_request`, `scim_managed`, `rate_limited`, `method_disabled`,
 * `organization_suspended`, `account_locked`.
 */
export async function beginEmailChange(work: OwnWork, email: string): Promise<SentCode> {
  const { platform, caller } = work
  const user = await getUser(work, caller.directoryUserId)
  const who = identify(platform, requireNewAddress(user, email))
  await countAct(work, idBytes(user.id), ofOnePerson)
  const settings = await mailedCodeSettings(work)
  await assertDoorOpen(work, who)
  const rate = await countMail(work, who, sendLimits(settings), { leaves: true, byAnyone: false })
  return inTx(work, async (work) => {
    // Always a new one: of several who want to have one address each needs a code of their own.
    const { otpId, expiresAt, ...otp } = await issueOtp(work, {
      purpose,
      userId: user.id,
      identity: who.hash,
      settings,
    })
    await queueMail(work, newAddressMail(who.address.email, otp), otp.ttlSeconds)
    const data = { otp_id: otpId, purpose, channel: 'email' } as const
    await record(work, otpEvents.sent({ target: { type: 'user', id: user.id }, data }))
    return { otpId, expiresAt, deliveryHint: maskEmail(who.address.email), rate }
  })
}

/**
 * Changes the caller's address to the one whose mailbox the code proves. The old one is told, with a link that undoes it if
 * it was proved; other sessions and what is about to become one end. Throws `otp_invalid`, `otp_expired`,
 * `otp_too_many_attempts`, `email_exists`, `scim_managed`, `invalid_request`. Returns the user as they are then, and how
 * many sessions ended.
 */
export async function finishEmailChange(
  work: OwnWork,
  sent: { email: string; otpId: string; code: string },
): Promise<{ user: UserRow; ended: number }> {
  const { platform, caller } = work
  const { directoryUserId: userId, sessionId } = caller
  const who = identify(platform, requireEmail(sent.email))
  const proof = await proveOwnCode(work, who, { purpose, otpId: sent.otpId, code: sent.code, userId })
  return inTx(work, async (work) => {
    const held = await holdOwn(work)
    if (!(await burn(work, proof, held.id))) throw signInCodeErrors.otpInvalid()
    const address = requireNewAddress(held, sent.email)
    const ownNotice = await noticeOfChange(work, held, address.email)
    const proved = { scim_managed: false, ownsDomain: true, isTouched: false, ownNotice }
    const user = await changeHeldUser(work, held, { email: address.email }, proved)
    const ended = await revokeUserSessions(work, user.id, userEndReasons.email_changed, [sessionId])
    return { user, ended }
  })
}

/** The address as it is stored. Throws `invalid_request` for the present one, and `scim_managed`. */
function requireNewAddress(user: UserRow, email: string) {
  const address = requireEmail(email)
  if (user.scim_managed) throw userErrors.scimManaged()
  if (address.norm !== user.email_norm) return address
  throw invalidField('email', 'unchanged', 'email is the present address already')
}
