import type { Language, Reader } from '../messages/language.ts'

/** The kind of a mail, such as `login_otp`. Directories can change subject and texts of each kind. */
export type MailKind = string & { readonly is: 'a kind of mail' }

/** The values of a mail's placeholders by name, in plain text. Null if this mail has no such value. */
export type MailValues = Readonly<Record<string, string | null>>

/** A feature's message to one person. The person's language is used. */
export interface Message {
  kind: MailKind
  /** The recipient, whose address is used unchanged in the envelope. */
  to: Reader
  /** The values. `brand` is the brand's name. */
  values?(language: Language, brand: string): MailValues
  /**
   * The standard texts. `names` has a placeholder for each value, such as `{expires_in}`, or null if there is no
   * value. Texts that replace the standard ones therefore have the same placeholders, and no value can be taken for a
   * placeholder.
   */
  write(language: Language, names: MailValues): WrittenMail
}

/** A message whose texts use only its own values. */
export function withValues<V extends MailValues>(message: {
  kind: MailKind
  to: Reader
  values: (language: Language, brand: string) => V
  write: (language: Language, names: V) => WrittenMail
}): Message {
  return message
}

/** The texts of a mail, in plain text with placeholders such as `{brand}`. */
export interface WrittenMail {
  /** Never contains a code, because lock screens show it. */
  subject: string
  content: MailContent
}

export interface MailContent {
  heading: string
  paragraphs: string[]
  /** An http(s) link. */
  button?: { label: string; url: string }
  code?: string
  /** The line above the code. Below a button there is a default. */
  codeLabel?: string
  footer: string
}

/** Texts whose subject is also the heading. */
export function titled(title: string, content: Omit<MailContent, 'heading'>): WrittenMail {
  return { subject: title, content: { heading: title, ...content } }
}
