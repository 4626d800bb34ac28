import type { Language, Reader } from '../messages/language.ts'

/** The kind of a mail, such as `login_otp`: a directory may give each kind its own subject and texts. */
export type MailKind = string & { readonly is: 'a kind of mail' }

/** The values of a mail's placeholders by name, in plain text. Null: this mail has no such value. */
export type MailValues = Readonly<Record<string, string | null>>

/** A feature's message to one person, who decides on the language. */
export interface Message {
  kind: MailKind
  /** Whose address goes into the envelope as it is. */
  to: Reader
  /** `brand`: the name of the brand. */
  values?(language: Language, brand: string): MailValues
  /**
   * The standard texts. In place of each value it gets the placeholder, such as `{expires_in}`; null stays null. So texts that
   * replace them have the same placeholders, and no value can be taken for a placeholder.
   */
  write(language: Language, names: MailValues): WrittenMail
}

/** A message whose texts use its own values alone. */
export function withValues<V extends MailValues>(message: {
  kind: MailKind
  to: Reader
  values: (language: Language, brand: string) => V
  write: (language: Language, names: V) => WrittenMail
}): Message {
  return message
}

/** The words of a mail, in plain text, with placeholders such as `{brand}`. */
export interface WrittenMail {
  /** Never contains a code: lock screens show it. */
  subject: string
  content: MailContent
}

export interface MailContent {
  heading: string
  paragraphs: string[]
  /** An http(s) link. */
  button?: { label: string; url: string }
  code?: string
  /** The line above the code. Below a button there is one by default. */
  codeLabel?: string
  footer: string
}

/** Those whose subject is the heading. */
export function titled(title: string, content: Omit<MailContent, 'heading'>): WrittenMail {
  return { subject: title, content: { heading: title, ...content } }
}
