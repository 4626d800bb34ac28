import { findKept, listKept, type Waiting } from '../outbox/waiting.ts'
import type { Platform } from '../platform.ts'
import { mailOutbox, type SealedMail } from './outbox.ts'

/** A mail of the outbox, opened. */
export type OpenedMail = Waiting<SealedMail>

/** Mails that development keeps, the newest first, of every directory; decoys left out. */
export function listKeptMails(platform: Platform, limit: number): Promise<OpenedMail[]> {
  return listKept(platform, mailOutbox, limit)
}

/** One mail that development keeps, or null. */
export function findKeptMail(platform: Platform, id: string): Promise<OpenedMail | null> {
  return findKept(platform, mailOutbox, id)
}
