import { type Asked, findKept, listKept, type Waiting } from '../outbox/waiting.ts'
import type { Platform } from '../platform.ts'
import { mailOutbox, type SealedMail } from './outbox.ts'

/** A decrypted mail of the outbox. */
export type OpenedMail = Waiting<SealedMail>

/** Lists the mails stored in development, newest first, of every directory and including decoys. */
export function listKeptMails(platform: Platform, asked: Asked): Promise<OpenedMail[]> {
  return listKept(platform, mailOutbox, asked)
}

/** One mail stored in development, or null. */
export function findKeptMail(platform: Platform, id: string): Promise<OpenedMail | null> {
  return findKept(platform, mailOutbox, id)
}
