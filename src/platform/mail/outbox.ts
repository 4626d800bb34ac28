import { type Static, Type } from 'typebox'
import { type DecoyReason, decoyFields } from '../outbox/decoy.ts'
import { type Outbox, putIntoOutbox, sealedPlaceOf } from '../outbox/outbox.ts'
import type { Platform } from '../platform.ts'
import { nullable } from '../schema.ts'
import type { Directory } from '../tenancy/directory.ts'
import { fits } from '../validator.ts'
import type { Work } from '../work.ts'
import { composeMail, type Mail } from './compose.ts'
import type { Message } from './message.ts'

export { type Message, titled, withValues } from './message.ts'

/** How long a mere notice is worth sending. */
export const NOTICE_USEFUL_SECONDS = 24 * 3600

const SealedMail = Type.Object({
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  html: Type.String(),
  from: Type.Object({ name: nullable(Type.String()), address: nullable(Type.String()) }),
  replyTo: nullable(Type.String()),
  /**
   * Composed for an address that has no user, so that known and unknown addresses take the same path and time; dropped
   * instead of sent.
   */
  decoy: Type.Boolean(),
  decoyReason: Type.Optional(Type.String()),
})

export type SealedMail = Static<typeof SealedMail>

/** A mail that waits. */
export interface WaitingMail extends Mail, SealedMail {
  id: string
  directoryId: string
  createdAt: Date
}

export const mailOutbox: Outbox<SealedMail> = {
  table: 'mail_outbox',
  job: 'mail.send',
  keeps: keepsMail,
  read(value) {
    // Mails queued by a release without per-directory senders lack both.
    const mail: unknown = { from: { name: null, address: null }, replyTo: null, ...Object(value) }
    return fits(SealedMail, mail) ? mail : null
  },
}

/**
 * Composes a mail and puts it into the outbox within the caller's transaction. A dead mail server never slows or fails
 * the request.
 */
export async function queueMail(
  work: Work,
  message: Message & { decoy?: DecoyReason | null },
  usefulSeconds: number,
): Promise<void> {
  // Decoys are composed as well: the same work for an address that has no user.
  const { kind, ...mail } = await composeMail(work, message)
  const content = { ...mail, ...decoyFields(work.platform, mailOutbox, message.decoy ?? null) }
  await putIntoOutbox(work, mailOutbox, { kind, content }, usefulSeconds)
}

/** Development without a mail server: mails are kept, to be read at /dev/mail. */
export function keepsMail(platform: Platform): boolean {
  return platform.config.smtpUrl === null && !platform.config.production
}

export function mailPlace(directory: Directory, id: string) {
  return sealedPlaceOf(mailOutbox.table, directory, id)
}
