import { type Static, Type } from 'typebox'
import { identify } from '../../../platform/crypto/identity.ts'
import { record } from '../../../platform/events/events.ts'
import { defineEndReasons } from '../../../platform/lifecycle/end-reasons.ts'
import { requireEmail } from '../../../platform/mail/address.ts'
import type { Message } from '../../../platform/mail/outbox.ts'
import { fits } from '../../../platform/validator.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { assertDoorOpen } from '../../access/login/login.ts'
import { cutOff } from '../../directory/users/changes/changes.ts'
import { findUserForUpdate, type HeldUser } from '../../directory/users/users.ts'
import { issueLink, linkErrors, linkUrl } from '../links/links.ts'
import { consumeLink, redeemLink, refuseForgedToken } from '../links/presented/presented.ts'
import { defineMailedPurpose } from '../links/purposes/purposes.ts'
import { newDeviceMail } from './emails.ts'
import { deviceEvents } from './events.ts'
import { forgetDevices, type SignIn } from './store.ts'

const reasons = defineEndReasons('sign_in_disowned')

/**
 * The link in the mail about a new device. Later actions in the reported session, such as a new password or a sign-in
 * from another device, do not void the link. The link does not sign in.
 */
export const unknownSignInPurpose = defineMailedPurpose('sign_in_disown', 'not_me', {
  replaces: 'none',
  opensNothing: true,
  endsBy: [reasons.sign_in_disowned],
})

const REPORT_SECONDS = 7 * 86_400
/**
 * Devices first seen in this period before the link are forgotten too, because the intruder may have signed in
 * earlier.
 */
const BEFORE_SECONDS = REPORT_SECONDS

/** The session and the device that a link reports. */
const ReportedSignIn = Type.Object({ session_id: Type.String(), device: Type.String() })

/** Builds the mail about a sign-in, with its link. */
export async function newDeviceNotice(
  work: TxWork,
  user: HeldUser,
  signIn: SignIn & { hash: Buffer },
): Promise<Message> {
  const { email, email_norm: norm } = user
  const details: Static<typeof ReportedSignIn> = {
    session_id: signIn.sessionId,
    device: signIn.hash.toString('base64url'),
  }
  const { token } = await issueLink(work, {
    purpose: unknownSignInPurpose,
    userId: user.id,
    identity: identify(work.platform, { email, norm }).hash,
    ttlSeconds: REPORT_SECONDS,
    details: { ...details },
  })
  const url = linkUrl(work, { purpose: unknownSignInPurpose, token, email: norm, redirectTo: null })
  return newDeviceMail({ ...signIn, to: user, url, ttlSeconds: REPORT_SECONDS })
}

/**
 * Ends all access of the user, including the person who reports the sign-in: ends sessions, removes trusted devices,
 * and cancels pending sign-ins. Forgets the reported device and all devices that were new at that time or later, so
 * that the next sign-in from them is announced again: it may be the same intruder. Removes no sign-in method, because
 * control of the mailbox alone must not be enough for that. Works on a locked account.
 * Throws `token_invalid`, `token_expired`, `organization_suspended`.
 */
export async function reportUnknownSignIn(work: Work, presented: { email: string; token: string }): Promise<void> {
  const who = identify(work.platform, requireEmail(presented.email))
  await refuseForgedToken(work, presented.token)
  await assertDoorOpen(work, null)
  await redeemLink(work, { who, token: presented.token, purposes: [unknownSignInPurpose] }, ({ link }) =>
    inTx(work, async (work) => {
      // Lock order: lock the user first, as a sign-in does.
      const user = link.user_id === null ? null : await findUserForUpdate(work, link.user_id)
      const consumed = await consumeLink(work, link)
      if (!user || !consumed || !fits(ReportedSignIn, link.details)) throw linkErrors.tokenInvalid()
      const { session_id, device } = link.details
      await cutOff(work, user, reasons.sign_in_disowned)
      await forgetDevices(work.db, work.directory, user.id, {
        hash: Buffer.from(device, 'base64url'),
        sinceSeconds: link.age_seconds + BEFORE_SECONDS,
      })
      await record(
        work,
        deviceEvents.disowned({ target: { type: 'user', id: user.id }, data: { session_id, link_id: link.id } }),
      )
    }),
  )
}
