import type { LogFields } from '../observability/log.ts'
import type { PlacedMessage } from '../outbox/waiting.ts'
import type { Platform } from '../platform.ts'
import { parseEmail } from './address.ts'
import { untaggedMessageId } from './bounces/message-id.ts'
import type { SealedMail } from './outbox.ts'

/** Log fields with which operators find mails in the mail server's log and in the directory. Never the address. */
export async function describeForLog(platform: Platform, mails: PlacedMessage<SealedMail>[]): Promise<LogFields[]> {
  if (mails.length === 0) return []
  const placed = mails.map(({ directory, message }) => {
    return {
      directoryId: directory.id,
      messageId: untaggedMessageId(message),
      norm: parseEmail(message.to)?.norm ?? '',
    }
  })
  // Foreign table users: the log names the user instead of the address.
  const users = await platform.db
    .selectFrom('users')
    .select(['id', 'directory_id', 'email_norm'])
    .where('directory_id', 'in', [...new Set(placed.map(({ directoryId }) => directoryId))])
    .where('email_norm', 'in', [...new Set(placed.map(({ norm }) => norm))])
    .where('deleted_at', 'is', null)
    .execute()
  return placed.map(({ directoryId, messageId, norm }) => {
    const user = users.find((user) => user.directory_id === directoryId && user.email_norm === norm)
    return user ? { messageId, userId: user.id } : { messageId }
  })
}
