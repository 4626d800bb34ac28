import { hashFactorIdentity, identify } from '../../../platform/crypto/identity.ts'
import { requireEmail } from '../../../platform/mail/address.ts'
import { inTx, type Work } from '../../../platform/work.ts'
import { assertDoorOpen } from '../../access/login/login.ts'
import { endLocks, markUnlocked } from '../../directory/users/lock/lock.ts'
import { findUserForUpdate, getUserForUpdate } from '../../directory/users/users.ts'
import { linkErrors, voidLinks } from '../links/links.ts'
import { consumeLink, redeemLink, refuseForgedToken } from '../links/presented/presented.ts'
import { defineMailedPurpose } from '../links/purposes/purposes.ts'
import { unlock } from './attempts.ts'

/** The purpose of the link in the mail about a lock. */
export const unlockPurpose = defineMailedPurpose('unlock', 'unlock', { opensNothing: true })

/**
 * Ends the lock of an address, with the link that was mailed to its owner.
 * Throws `token_invalid`, `token_expired`, `organization_suspended`.
 */
export async function unlockByLink(work: Work, presented: { email: string; token: string }): Promise<void> {
  const who = identify(work.platform, requireEmail(presented.email))
  await refuseForgedToken(work, presented.token)
  await assertDoorOpen(work, null)
  await redeemLink(work, { who, token: presented.token, purposes: [unlockPurpose] }, ({ link }) =>
    inTx(work, async (work) => {
      // Lock order: lock the user first, as a sign-in does.
      const user = link.user_id === null ? null : await findUserForUpdate(work, link.user_id)
      const consumed = await consumeLink(work, link)
      if (!user || !consumed) throw linkErrors.tokenInvalid()
      await markUnlocked(work, user.id)
      // Attempts at the second factor stay counted, because the mailbox may be the first factor.
      await unlock(work, who.hash)
    }),
  )
}

/**
 * Ends every lock of a user: the lock after wrong passwords and an administrator's lock. Throws `user_not_found`.
 * Returns false if there was no lock and no counted failure.
 */
export async function unlockUser(work: Work, userId: string): Promise<boolean> {
  return inTx(work, async (work) => {
    // Lock order: lock the user first, as a sign-in does.
    const user = await getUserForUpdate(work, userId)
    const who = identify(work.platform, { email: user.email, norm: user.email_norm })
    const counted = await unlock(work, who.hash)
    const factorsCounted = await unlock(work, hashFactorIdentity(work.platform, user.id))
    if (!counted && !factorsCounted && user.locked === null) return false
    // The link in the user's mail is no longer needed.
    await voidLinks(work, user, unlockPurpose)
    await endLocks(work, user)
    return true
  })
}
