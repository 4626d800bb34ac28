import { hashIdentity, identify } from '../../../platform/crypto/identity.ts'
import { invalidField } from '../../../platform/errors.ts'
import { record } from '../../../platform/events/events.ts'
import { burn, type UsedProof } from '../../../platform/joined/proofs.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../../platform/mail/outbox.ts'
import type { OwnWork } from '../../../platform/tenancy/own-work.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { readFacts } from '../../access/login/login.ts'
import { lockOwnRow } from '../../access/self-management/self-management.ts'
import { revokeUserSessions } from '../../access/sessions/sessions.ts'
import { voidPendingSignIns } from '../../directory/users/changes/changes.ts'
import { markUnlocked } from '../../directory/users/lock/lock.ts'
import { getUser, type HeldUser } from '../../directory/users/users.ts'
import { unlock } from '../lockout/lockout.ts'
import { passwordChangedMail } from './emails.ts'
import { endReasons } from './end-reasons.ts'
import { passwordErrors } from './errors.ts'
import { passwordEvents } from './events.ts'
import { hashNewPassword } from './new-password.ts'
import { getPasswordSettings } from './settings.ts'
import { provePassword } from './sign-in.ts'
import { hasPassword, passwordProof, storePassword } from './store.ts'

/**
 * Changes the caller's password, or sets the first one. The present password is checked with the limits of a sign-in,
 * and failures count as failed sign-ins. Ends every other session and pending sign-in. Throws `invalid_credentials`,
 * `account_locked`, `weak_password`, `password_breached`, `method_disabled`, `unavailable`, and `invalid_request` if
 * the present password is missing. Returns how many sessions ended.
 */
export async function changeOwnPassword(
  work: OwnWork,
  sent: { current: string | null; password: string },
): Promise<number> {
  const { directory, caller } = work
  const settings = await getPasswordSettings(work)
  const user = await getUser(work, caller.directoryUserId)
  const proof = await proveCurrent(work, user, sent.current)
  // The new password must differ from the present one, even if the history is off.
  const policy = { ...settings, password_history: Math.max(1, settings.password_history) }
  const hashed = await hashNewPassword(work, policy, user, sent.password)
  return inTx(work, async (work) => {
    const held = await lockOwnRow(work)
    // False if the password was changed or set while the hashes were computed.
    const stands = proof ? await burn(work, proof, held.id) : !(await hasPassword(work.db, directory, held.id))
    if (!stands || held.email_norm !== user.email_norm) throw passwordErrors.invalidCredentials()
    const stored = { userId: held.id, hashed, historyKept: settings.password_history, mustChange: false }
    await storePassword(work.db, directory, stored)
    return endOthers(work, held, caller.sessionId)
  })
}

async function proveCurrent(
  work: Work,
  user: { id: string; email: string; email_norm: string },
  current: string | null,
): Promise<UsedProof | null> {
  if (current === null) {
    if (!(await hasPassword(work.db, work.directory, user.id))) return null
    throw invalidField('current_password', 'required', 'current_password is required if the user has a password')
  }
  const who = identify(work.platform, { email: user.email, norm: user.email_norm })
  const { person } = await readFacts(work, who)
  if (person?.user_id !== user.id) throw passwordErrors.invalidCredentials()
  return passwordProof({ password_revision: (await provePassword(work, who, person, current)).revision })
}

async function endOthers(work: TxWork, user: HeldUser, sessionId: string): Promise<number> {
  await voidPendingSignIns(work, user, endReasons.password_changed, true)
  const ended = await revokeUserSessions(work, user.id, endReasons.password_changed, [sessionId])
  // The failed attempts were guesses at the old password, so they no longer count.
  if (await unlock(work, hashIdentity(work.platform, user.email_norm))) await markUnlocked(work, user.id)
  await queueMail(work, passwordChangedMail(user, 'user'), NOTICE_USEFUL_SECONDS)
  await record(work, passwordEvents.changed({ target: { type: 'user', id: user.id }, data: { by: 'user' } }))
  return ended
}
