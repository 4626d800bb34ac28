import type { Db } from '../db/pool.ts'
import type { Directory } from '../http/directory.ts'
import { newId } from '../ids.ts'
import { enqueue } from '../jobs/queue.ts'
import type { Platform } from '../platform.ts'

/** One message to one person. */
export interface Mail {
  /** What it is, such as `login_otp`. */
  kind: string
  /** A bare address; goes into the envelope as it is. */
  to: string
  subject: string
  text: string
  html: string
}

/** A mail that waits, as it is sealed in the outbox. */
export interface WaitingMail extends Mail {
  id: string
  directoryId: string
  createdAt: Date
  /**
   * Made for an address nobody has, so that known and unknown addresses take the same path and time; dropped instead
   * of sent.
   */
  decoy: boolean
}

export const SEND_MAIL = 'mail.send'

/**
 * Puts a mail into the outbox within the caller's transaction. It leaves after the commit, is retried while it is of
 * use, and is forgotten afterwards. A dead mail server never slows or fails the request.
 */
export async function queueMail(
  db: Db,
  platform: Platform,
  directory: Directory,
  mail: Mail & { decoy?: boolean },
  usefulSeconds: number,
): Promise<void> {
  const id = newId()
  const { kind, ...message } = { decoy: false, ...mail }
  const sealed = await platform.keyring.seal(mailPlace(directory, id), JSON.stringify(message))
  await db
    .insertInto('mail_outbox')
    .values({
      directory_id: directory.id,
      id,
      kind,
      message_sealed: sealed,
      kept: keepsMail(platform),
      useful_until: new Date(platform.clock.now().getTime() + usefulSeconds * 1000),
    })
    .execute()
  if (!keepsMail(platform)) await enqueueSending(db, directory.id, id)
}

/** Has the mail sent, soon or at the given time; there is one such job for a mail. */
export async function enqueueSending(db: Db, directoryId: string, id: string, runAt?: Date): Promise<void> {
  await enqueue(db, SEND_MAIL, { directoryId, id }, { key: sendingKey(id), ...(runAt ? { runAt } : {}) })
}

/** The key of the job that sends a mail. */
export function sendingKey(id: string): string {
  return `${SEND_MAIL}/${id}`
}

/** Development without a mail server: mails stay, to be read at /dev/mail. */
export function keepsMail(platform: Platform): boolean {
  return platform.config.smtpUrl === null && !platform.config.production
}

export function mailPlace(directory: Directory, id: string) {
  return {
    table: 'mail_outbox',
    column: 'message_sealed',
    row: `${directory.id}/${id}`,
    accountId: directory.accountId,
  }
}
