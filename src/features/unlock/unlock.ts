import { requireEmail } from '../../platform/mail/address.ts'
import { factorIdentity } from '../factors/factors.ts'
import { consumeLink, linkErrors, voidLinks } from '../links/links.ts'
import { unlock } from '../lockout/lockout.ts'
import { assertOrganizationOpen, identify, type LoginContext, presentLink } from '../login/login.ts'
import { getUser, lockUser, markUnlocked } from '../users/users.ts'

/**
 * Ends the lock of an address by the link that its owner was mailed.
 * Throws `token_invalid`, `token_expired`, `organization_suspended`.
 */
export async function unlockByLink(context: LoginContext, presented: { email: string; token: string }): Promise<void> {
  const { platform, directory, origin } = context
  const who = identify(platform, requireEmail(presented.email))
  await assertOrganizationOpen(context)
  await presentLink(context, { who, token: presented.token, purposes: ['unlock'] }, ({ link }) =>
    platform.tx(async (tx) => {
      // The user first, as a sign-in does, so that nobody waits crosswise.
      const user = link.user_id === null ? null : await lockUser(tx, directory, link.user_id)
      const spent = await consumeLink(tx, directory, link).executeTakeFirst()
      if (!user || !spent) throw linkErrors.tokenInvalid()
      await markUnlocked(tx, directory, origin, user.id)
      // Guesses at the second factor stay counted: the mailbox may be the first.
      await unlock(tx, directory, who.hash)
    }),
  )
}

/** Ends the lock of a user's address at once. False: there was neither a lock nor a failure. Throws `user_not_found`. */
export async function unlockUser(context: LoginContext, userId: string): Promise<boolean> {
  const { platform, directory, origin } = context
  return platform.tx(async (tx) => {
    const user = await getUser(tx, directory, userId)
    const who = identify(platform, { email: user.email, norm: user.email_norm })
    // The user first, as a sign-in does, so that nobody waits crosswise.
    await lockUser(tx, directory, user.id)
    const counted = await unlock(tx, directory, who.hash)
    const factorsCounted = await unlock(tx, directory, factorIdentity(platform, user.id))
    if (!counted && !factorsCounted && !user.locked) return false
    // Their mail offers what has been done.
    await voidLinks(tx, platform, directory, user, { purpose: 'unlock' })
    await markUnlocked(tx, directory, origin, user.id)
    return true
  })
}
