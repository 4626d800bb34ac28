import type { FactorsReset } from '../features/tenancy/members/schema.ts'
import { record } from '../platform/events/events.ts'
import { requireEmail } from '../platform/mail/address.ts'
import { accountDirectory, reachOf } from '../platform/tenancy/directory.ts'
import { inTx, type TxWork, type Work } from '../platform/work.ts'

/**
 * Removes the authenticator app, the backup codes, the phone and the passkeys of a member, and ends their sessions.
 * `work` must be in the console directory. No grace period starts: if the policy requires a factor, the next sign-in
 * enrolls one. Throws `member_not_found`.
 */
export async function resetFactors(work: Work, email: string): Promise<FactorsReset> {
  const { memberErrors } = await import('../features/tenancy/members/errors.ts')
  const { memberEvents } = await import('../features/tenancy/members/events.ts')
  const { findUserByEmail, getUserForUpdate } = await import('../features/directory/users/users.ts')
  const { cutOff } = await import('../features/directory/users/changes/changes.ts')
  const { endReasons } = await import('../features/access/sessions/end-reasons.ts')
  const found = await findUserByEmail(work, requireEmail(email).norm)
  if (!found) throw memberErrors.notFound({ detail: 'No member has this address. See `members list`.' })
  return inTx(work, async (work) => {
    await getUserForUpdate(work, found.id)
    const methods = await removeFactors(work, found.id)
    const data = { directoryUserId: found.id, email: found.email, methods }
    if (methods.length === 0) return data
    await cutOff(work, await getUserForUpdate(work, found.id), endReasons.revoked)
    // No feed shows events of the console directory, so the event is recorded at the account level.
    const directory = await accountDirectory(work.platform, work.directory)
    await record({ ...work, directory }, memberEvents.factorsReset({ target: { type: 'user', id: found.id }, data }))
    return data
  })
}

/** Uses the rules of `/v1/me`, which record events and notify the member. Returns the removed methods. */
async function removeFactors(work: TxWork, userId: string): Promise<FactorsReset['methods']> {
  const { readEnrollment, removeTotpOf } = await import('../features/sign-in/factors/enrollment.ts')
  const { removePhoneOf } = await import('../features/sign-in/factors/sms.ts')
  const { deletePasskeyOf, listPasskeysOf } = await import('../features/sign-in/passkeys/administration.ts')
  const ends = { revokeSessions: true, sparedId: null }
  const has = await readEnrollment(work, userId)
  const passkeys = await listPasskeysOf({ ...work, reach: reachOf(work.directory) }, userId)
  if (has.totp_confirmed_at) await removeTotpOf(work, userId, ends)
  if (has.phone_confirmed_at) await removePhoneOf(work, userId, ends)
  for (const { id } of passkeys) await deletePasskeyOf(work, id, userId)
  return [
    ...(has.totp_confirmed_at ? (['totp'] as const) : []),
    ...(has.phone_confirmed_at ? (['sms'] as const) : []),
    ...(passkeys.length > 0 ? (['passkey'] as const) : []),
  ]
}
