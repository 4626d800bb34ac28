import { type Static, Type } from 'typebox'
import { chooseLanguage, type Language } from '../messages/language.ts'
import { type DecoyReason, decoyFields } from '../outbox/decoy.ts'
import { type Outbox, putIntoOutbox } from '../outbox/outbox.ts'
import { type Asked, findKept, listKept, type Waiting } from '../outbox/waiting.ts'
import type { Platform } from '../platform.ts'
import { fits } from '../validator.ts'
import type { Work } from '../work.ts'

const Sms = Type.Object({
  to: Type.String(),
  text: Type.String(),
  decoy: Type.Boolean(),
  decoyReason: Type.Optional(Type.String()),
})

export type Sms = Static<typeof Sms>

/** A decrypted text message of the outbox. */
export type OpenedSms = Waiting<Sms>

export const smsOutbox: Outbox<Sms> = {
  table: 'sms_outbox',
  job: 'sms.send',
  keeps: ({ config }) => config.sms === null && !config.production,
  read: (value) => (fits(Sms, value) ? value : null),
}

/** Whether text messages are sent, or stored in development. Production without WATCHWORD_SMS_URL sends none. */
export function takesSms(platform: Platform): boolean {
  return platform.config.sms !== null || smsOutbox.keeps(platform)
}

/** A text message to one phone, in the owner's language. */
export interface NewSms {
  /** The kind of message, such as `otp`. */
  kind: string
  to: {
    /** In E.164 form. */
    phone: string
    /** The locale of the phone's owner, if known. */
    locale: string | null
  }
  write(language: Language): string
  /** Set if the message is dropped instead of sent. */
  decoy?: DecoyReason | null
}

/**
 * Puts a text message into the outbox in the caller's transaction. An unavailable provider never slows or fails the
 * request.
 */
export async function queueSms(work: Work, sms: NewSms, usefulSeconds: number): Promise<void> {
  const { kind, to, decoy = null } = sms
  const text = sms.write(chooseLanguage(to.locale, work.directory.locale))
  const content = { to: to.phone, text, ...decoyFields(work.platform, smsOutbox, decoy) }
  await putIntoOutbox(work, smsOutbox, { kind, content }, usefulSeconds)
}

/** Lists text messages stored in development, newest first, of every directory and including decoys. */
export function listKeptSms(platform: Platform, asked: Asked): Promise<OpenedSms[]> {
  return listKept(platform, smsOutbox, asked)
}

/** One text message stored in development, or null. */
export function findKeptSms(platform: Platform, id: string): Promise<OpenedSms | null> {
  return findKept(platform, smsOutbox, id)
}
