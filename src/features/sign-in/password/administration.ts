import { hashIdentity, identify } from '../../../platform/crypto/identity.ts'
import { record } from '../../../platform/events/events.ts'
import { maskEmail } from '../../../platform/mail/address.ts'
import { countMail, countNotice } from '../../../platform/mail/limits.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../../platform/mail/outbox.ts'
import { inTx, type Work } from '../../../platform/work.ts'
import { assertActive, assertDoorOpen } from '../../access/login/login.ts'
import { assertSsoNotRequired } from '../../access/login/sso-only/sso-only.ts'
import { cutOff, voidPendingSignIns } from '../../directory/users/changes/changes.ts'
import { markUnlocked } from '../../directory/users/lock/lock.ts'
import { ensureAuthAccount, getUser, getUserForUpdate, userErrors } from '../../directory/users/users.ts'
import { type LinkDelivery, mailLink } from '../links/send-link/send-link.ts'
import { unlock } from '../lockout/lockout.ts'
import { passwordChangedMail, resetMail } from './emails.ts'
import { endReasons } from './end-reasons.ts'
import { passwordEvents } from './events.ts'
import { resetPurpose } from './link-purposes.ts'
import { hashNewPassword } from './new-password.ts'
import { resetLimits, resetSettings } from './reset.ts'
import { getPasswordSettings } from './settings.ts'
import { markSetByManager, type NewPassword, storePassword } from './store.ts'

/**
 * Mails a user a link to choose a new password, at an administrator's request.
 * Throws `user_not_found`, `user_locked`, `user_inactive`, `verification_required` for a pending sign-up,
 * `sso_required` for a user who must use single sign-on and could not sign in with the link,
 * `password_reset_disabled`, `organization_suspended`, `rate_limited`.
 */
export async function sendResetTo(work: Work, userId: string, delivery: LinkDelivery) {
  const checked = await checkReset(work, userId)
  const rate = await countMail(work, checked.who, resetLimits, { leaves: delivery.deliver, byAnyone: false })
  return { ...(await makeReset(work, checked, delivery)), rate }
}

/**
 * Creates the same link for the command line to print. There is no rate limit, because the command is the last resort
 * when mail does not work. Throws the same errors.
 */
export async function printResetOf(work: Work, userId: string): Promise<string | null> {
  return (await makeReset(work, await checkReset(work, userId), { redirectTo: null, deliver: false })).url
}

async function checkReset(work: Work, userId: string) {
  const settings = await resetSettings(work)
  const user = await getUser(work, userId)
  assertActive(user)
  if (user.pending_until) throw userErrors.verificationRequired()
  await assertDoorOpen(work, null)
  await assertSsoNotRequired(work, { user_id: user.id, auth_account_id: user.auth_account_id, email: user.email })
  const who = identify(work.platform, { email: user.email, norm: user.email_norm })
  return { user, who, ttlSeconds: settings.password_reset_ttl_seconds }
}

async function makeReset(
  work: Work,
  { user, who, ttlSeconds }: Awaited<ReturnType<typeof checkReset>>,
  delivery: LinkDelivery,
) {
  return inTx(work, async (work) => {
    const link = await mailLink(work, {
      purpose: resetPurpose,
      who,
      locale: user.locale,
      userId: user.id,
      decoy: null,
      ttlSeconds,
      delivery,
      compose: (_, mail) => resetMail(mail),
    })
    const target = { type: 'user', id: user.id }
    await record(work, passwordEvents.resetRequested({ target, data: { link_id: link.linkId, channel: 'email' } }))
    return { deliveryHint: maskEmail(user.email), url: link.url }
  })
}

/** A password that was checked and hashed, ready to be set. */
type PreparedPassword = Omit<NewPassword, 'mustChange'>

/**
 * Checks and hashes a password that an administrator sets. Throws `user_not_found`, `verification_required` for a
 * pending sign-up, `rate_limited`, `weak_password`, `password_breached`, `unavailable`.
 */
export async function preparePassword(work: Work, userId: string, password: string): Promise<PreparedPassword> {
  const settings = await getPasswordSettings(work)
  const user = await getUser(work, userId)
  if (user.pending_until) throw userErrors.verificationRequired()
  const hashed = await hashNewPassword(work, settings, user, password)
  await countNotice(work, user)
  return { userId: user.id, hashed, historyKept: settings.password_history }
}

/**
 * Sets a user's password and notifies the user. Cancels pending sign-ins, ends locks of the address that failed
 * attempts caused, and ends every session if `revokeSessions` is true. An administrator's lock remains. Throws
 * `user_not_found`. Returns how many sessions ended.
 */
export async function setPasswordOf(
  work: Work,
  prepared: PreparedPassword,
  { revokeSessions, mustChange }: { revokeSessions: boolean; mustChange: boolean },
): Promise<number> {
  const { platform, directory } = work
  return inTx(work, async (work) => {
    // Read again, because the user may have been deleted while the hash was computed.
    const current = await getUserForUpdate(work, prepared.userId)
    await ensureAuthAccount(work, current)
    await storePassword(work.db, directory, { ...prepared, mustChange })
    await markSetByManager(work.db, directory, current)
    const revoked = revokeSessions ? await cutOff(work, current, endReasons.password_changed) : 0
    if (!revokeSessions) await voidPendingSignIns(work, current, endReasons.password_changed)
    // The failed attempts were guesses at the old password, so they no longer count.
    if (await unlock(work, hashIdentity(platform, current.email_norm))) await markUnlocked(work, current.id)
    await queueMail(work, passwordChangedMail(current, 'administrator'), NOTICE_USEFUL_SECONDS)
    const target = { type: 'user', id: current.id }
    await record(work, passwordEvents.changed({ target, data: { by: 'administrator', must_change: mustChange } }))
    return revoked
  })
}
