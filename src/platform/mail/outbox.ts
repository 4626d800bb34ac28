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

/** How long a notice is worth sending. */
export const NOTICE_USEFUL_SECONDS = 24 * 3600

const SealedMail = Type.Object({
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  html: Type.String(),
  from: Type.Object({ name: nullable(Type.String()), address: nullable(Type.String()) }),
  replyTo: nullable(Type.String()),
  /**
   * True for a mail to an address without a user. It is composed like any other, so that known and unknown addresses
   * take the same time, and dropped instead of sent.
   */
  decoy: Type.Boolean(),
  decoyReason: Type.Optional(Type.String()),
})

export type SealedMail = Static<typeof SealedMail>

/** A waiting mail. */
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
    // Mails queued by a release without per-directory senders lack both fields.
    const mail: unknown = { from: { name: null, address: null }, replyTo: null, ...Object(value) }
    return fits(SealedMail, mail) ? mail : null
  },
}

/**
 * Composes a mail and puts it into the outbox in the caller's transaction. An unavailable mail server never slows or
 * fails the request.
 */
export async function queueMail(
  work: Work,
  message: Message & { decoy?: DecoyReason | null },
  usefulSeconds: number,
): Promise<void> {
  // Decoys are composed as well, so that an address without a user causes the same work.
  const { kind, ...mail } = await composeMail(work, message)
  const content = { ...mail, ...decoyFields(work.platform, mailOutbox, message.decoy ?? null) }
  await putIntoOutbox(work, mailOutbox, { kind, content }, usefulSeconds)
}

/** Whether mails are only stored, to be read at /dev/mail: in development without a mail server. */
export function keepsMail(platform: Platform): boolean {
  return platform.config.smtpUrl === null && !platform.config.production
}

export function mailPlace(directory: Directory, id: string) {
  return sealedPlaceOf(mailOutbox.table, directory, id)
}
