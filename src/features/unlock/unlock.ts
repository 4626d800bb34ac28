import { requireEmail } from '../../platform/mail/address.ts'
import { inTx, type Work } from '../../platform/work.ts'
import { factorIdentity } from '../factors/factors.ts'
import { consumeLink, linkErrors, voidLinks } from '../links/links.ts'
import { unlock } from '../lockout/lockout.ts'
import { assertOrganizationOpen, identify, presentLink } from '../login/login.ts'
import { getUser, lockUser, markUnlocked } from '../users/users.ts'

/**
 * Ends the lock of an address by the link that its owner was mailed.
 * Throws `token_invalid`, `token_expired`, `organization_suspended`.
 */
export async function unlockByLink(work: Work, presented: { email: string; token: string }): Promise<void> {
  const who = identify(work.platform, requireEmail(presented.email))
  await assertOrganizationOpen(work)
  await presentLink(work, { who, token: presented.token, purposes: ['unlock'] }, ({ link }) =>
    inTx(work, async (work) => {
      // The user first, as a sign-in does, so that nobody waits crosswise.
      const user = link.user_id === null ? null : await lockUser(work, link.user_id)
      const spent = await consumeLink(work, link).executeTakeFirst()
      if (!user || !spent) throw linkErrors.tokenInvalid()
      await markUnlocked(work, user.id)
      // Guesses at the second factor stay counted: the mailbox may be the first.
      await unlock(work, who.hash)
    }),
  )
}

/** Ends the lock of a user's address at once. False: there was neither a lock nor a failure. Throws `user_not_found`. */
export async function unlockUser(work: Work, userId: string): Promise<boolean> {
  return inTx(work, async (work) => {
    const { platform } = work
    const user = await getUser(work, userId)
    const who = identify(platform, { email: user.email, norm: user.email_norm })
    // The user first, as a sign-in does, so that nobody waits crosswise.
    await lockUser(work, user.id)
    const counted = await unlock(work, who.hash)
    const factorsCounted = await unlock(work, factorIdentity(platform, user.id))
    if (!counted && !factorsCounted && !user.locked) return false
    // Their mail offers what has been done.
    await voidLinks(work, user, { purpose: 'unlock' })
    await markUnlocked(work, user.id)
    return true
  })
}
