import { identify } from '../../../platform/crypto/identity.ts'
import { record } from '../../../platform/events/events.ts'
import { requireEmail } from '../../../platform/mail/address.ts'
import type { Message } from '../../../platform/mail/outbox.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { assertDoorOpen } from '../../access/login/login.ts'
import { STEP_UP_SECONDS } from '../../access/self-management/self-management.ts'
import { sessionEvents } from '../../access/sessions/sessions.ts'
import { changeHeldUser, cutOff, deleteUser, userEndReasons } from '../../directory/users/changes/changes.ts'
import {
  findUserByEmail,
  findUserForUpdate,
  getUserForUpdate,
  type HeldUser,
  userErrors,
  userEvents,
} from '../../directory/users/users.ts'
import { factorEvents } from '../factors/factors.ts'
import { inviteEvents } from '../invites/invites.ts'
import { hasLiveLink, issueLink, linkErrors, linkUrl } from '../links/links.ts'
import { consumeLink, redeemLink, refuseForgedToken } from '../links/presented/presented.ts'
import { defineMailedPurpose } from '../links/purposes/purposes.ts'
import { passkeyEvents } from '../passkeys/passkeys.ts'
import { ownAddressChangedMail } from './emails.ts'
import { emailChangeEvents } from './events.ts'

/**
 * The link with which the old mailbox undoes a change. A new password or another change of address by the user does
 * not void it. A change of address by another caller does.
 */
export const undoPurpose = defineMailedPurpose('email_change_undo', 'email_undo', {
  opensNothing: true,
  endsBy: [userEndReasons.email_changed],
})

/** Events that undoing a change may record. */
export const undoEmailEvents = [
  emailChangeEvents.emailRestored,
  userEvents.updated,
  userEvents.deleted,
  sessionEvents.revoked,
  factorEvents.removed,
  passkeyEvents.deleted,
  inviteEvents.revoked,
]

const UNDO_SECONDS = 7 * 86_400

/**
 * Builds the mail to the old address. It has an undo link only if the old address was proved, because an unproved
 * address may be a stranger's. It has no link either while an earlier change can still be undone: the link would go to
 * the person who made that change.
 */
export async function noticeOfChange(work: TxWork, user: HeldUser, newAddress: string): Promise<Message> {
  const isUndone = user.email_verified && !(await hasLiveLink(work, user.id, undoPurpose))
  const url = isUndone ? await makeUndo(work, user) : null
  return ownAddressChangedMail({ old: user, new: newAddress, url, ttlSeconds: UNDO_SECONDS })
}

async function makeUndo(work: TxWork, user: HeldUser): Promise<string> {
  const { hash } = identify(work.platform, { email: user.email, norm: user.email_norm })
  const link = { purpose: undoPurpose, userId: user.id, identity: hash, ttlSeconds: UNDO_SECONDS }
  const { token } = await issueLink(work, link)
  return linkUrl(work, { purpose: undoPurpose, token, email: user.email_norm, redirectTo: null })
}

/**
 * Restores the old address, to which the link was mailed, and ends all access: sessions, pending sign-ins, and links
 * that could take the address again. Removes the password, factors, passkeys and identities set up since the change,
 * because they may be an intruder's. Works on a locked account.
 * Throws `token_invalid`, `token_expired`, `email_exists`, `scim_managed`, `organization_suspended`.
 */
export async function undoEmailChange(work: Work, presented: { email: string; token: string }): Promise<void> {
  const who = identify(work.platform, requireEmail(presented.email))
  await refuseForgedToken(work, presented.token)
  await assertDoorOpen(work, null)
  await redeemLink(work, { who, token: presented.token, purposes: [undoPurpose] }, ({ link }) =>
    inTx(work, async (work) => {
      // Lock order: lock the user first, as a sign-in does.
      const user = link.user_id === null ? null : await findUserForUpdate(work, link.user_id)
      const consumed = await consumeLink(work, link)
      if (!user || !consumed) throw linkErrors.tokenInvalid()
      if (user.scim_managed) throw userErrors.scimManaged()
      await displaceStranger(work, user.id, who.address.norm)
      const proved = { scim_managed: false, isProved: true, isTouched: false }
      await changeHeldUser(work, user, { email: who.address.email }, proved)
      // Reads the user again, so that mails about what is removed go to the restored address. Removes what was added
      // since the change, and also what the step-up before the change allowed.
      const restored = await getUserForUpdate(work, user.id)
      await cutOff(work, restored, userEndReasons.email_changed, { sinceSeconds: link.age_seconds + STEP_UP_SECONDS })
      await record(
        work,
        emailChangeEvents.emailRestored({ target: { type: 'user', id: user.id }, data: { link_id: link.id } }),
      )
    }),
  )
}

/**
 * Deletes a user who signed up with the address in the meantime without proving it, so that the owner can have it
 * back.
 */
async function displaceStranger(work: TxWork, ownerId: string, norm: string): Promise<void> {
  const found = await findUserByEmail(work, norm)
  const holder = found && found.id !== ownerId ? await findUserForUpdate(work, found.id) : null
  if (holder?.source === 'signup' && !holder.email_verified && !holder.proved_before && holder.email_norm === norm)
    await deleteUser(work, holder.id, { ifMatch: null, force: true })
}
