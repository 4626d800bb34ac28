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
 * The link in the mail about a new device. Later acts in that session, such as a new password or a sign-in from another
 * device, do not withdraw it. It does not sign in.
 */
export const unknownSignInPurpose = defineMailedPurpose('sign_in_disown', 'not_me', {
  replaces: 'none',
  opensNothing: true,
  endsBy: [reasons.sign_in_disowned],
})

const REPORT_SECONDS = 7 * 86_400
/** New devices from this long before the link are forgotten too: the intruder may have signed in earlier. */
const BEFORE_SECONDS = REPORT_SECONDS

/** What a link is about. */
const ReportedSignIn = Type.Object({ session_id: Type.String(), device: Type.String() })

/** The mail about a sign-in, with its link. */
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
 * Ends all access, of the one who signed in and of everybody else: sessions, trusted devices and sign-ins under way; and
 * forgets the device, and every other that was new then or since, so that the next sign-in from there is told again: it may
 * be the same person's. Nothing that people come in by is taken away, or the mailbox alone could do so. The link passes whatever locks the account.
 * Throws `token_invalid`, `token_expired`, `organization_suspended`.
 */
export async function reportUnknownSignIn(work: Work, presented: { email: string; token: string }): Promise<void> {
  const who = identify(work.platform, requireEmail(presented.email))
  await refuseForgedToken(work, presented.token)
  await assertDoorOpen(work, null)
  await redeemLink(work, { who, token: presented.token, purposes: [unknownSignInPurpose] }, ({ link }) =>
    inTx(work, async (work) => {
      // Lock order: the user first, as in a sign-in.
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
