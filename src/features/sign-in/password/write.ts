import type { HashedPassword } from '../../../platform/crypto/password-format.ts'
import { type EventInput, record } from '../../../platform/events/events.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../../platform/mail/outbox.ts'
import type { TxWork } from '../../../platform/work.ts'
import { cutOff } from '../../directory/users/changes/changes.ts'
import { getUserForUpdate, type HeldUser } from '../../directory/users/users.ts'
import { passwordChangedMail } from './emails.ts'
import { endReasons } from './end-reasons.ts'
import { passwordEvents } from './events.ts'
import { type PasswordSettings, passwordSettings } from './settings.ts'
import { storePassword } from './store.ts'

/**
 * Writes the password that a user chose in place of one that must be changed, once the second factor was proved. Ends
 * all other access of the user.
 */
export async function writeNextPassword(work: TxWork, userId: string, hash: string): Promise<void> {
  const [settings, user] = [await passwordSettings.effective(work), await getUserForUpdate(work, userId)]
  await writePassword(work, settings, { user, hashed: { hash, format: 'argon2id' } })
}

/** Stores the password, ends all sessions and pending sign-ins of the user, and notifies the user. */
export async function writePassword(
  work: TxWork,
  { password_history: historyKept }: PasswordSettings,
  {
    user,
    hashed,
    linkId,
    events = [],
  }: { user: HeldUser; hashed: HashedPassword; linkId?: string; events?: EventInput[] },
): Promise<void> {
  await storePassword(work.db, work.directory, { userId: user.id, hashed, historyKept, mustChange: false })
  await cutOff(work, user, endReasons.password_changed, { linkId })
  await queueMail(work, passwordChangedMail(user, 'user'), NOTICE_USEFUL_SECONDS)
  const changed = passwordEvents.changed({ target: { type: 'user', id: user.id }, data: { by: 'user' } })
  await record(work, ...events, changed)
}
