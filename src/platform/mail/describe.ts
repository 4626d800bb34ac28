import type { LogFields } from '../observability/log.ts'
import type { Tenant } from '../outbox/delivery.ts'
import { parseEmail } from './address.ts'
import { messageIdOf } from './bounces/message-id.ts'
import type { WaitingMail } from './outbox.ts'
import { domainOf, readSender } from './sender.ts'

/** By what an operator finds a mail in the log of the mail server and in the directory. Never the address. */
export async function describeForLog({ platform, directory }: Tenant, mail: WaitingMail): Promise<LogFields> {
  const messageId = messageIdOf(platform, mail, domainOf(readSender(platform.config.mailFrom).address))
  const email = parseEmail(mail.to)
  // Foreign table users: the log names the user instead of the address.
  const user = await platform.db
    .selectFrom('users')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('email_norm', '=', email?.norm ?? '')
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return user ? { messageId, userId: user.id } : { messageId }
}
