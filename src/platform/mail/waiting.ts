import { type Asked, findKept, listKept, type Waiting } from '../outbox/waiting.ts'
import type { Platform } from '../platform.ts'
import { mailOutbox, type SealedMail } from './outbox.ts'

/** A mail of the outbox, opened. */
export type OpenedMail = Waiting<SealedMail>

/** Mails kept in development, newest first, of every directory, and the decoys among them. */
export function listKeptMails(platform: Platform, asked: Asked): Promise<OpenedMail[]> {
  return listKept(platform, mailOutbox, asked)
}

/** One mail kept in development, or null. */
export function findKeptMail(platform: Platform, id: string): Promise<OpenedMail | null> {
  return findKept(platform, mailOutbox, id)
}
