import type { MailKind, Message } from './message.ts'

/** The meanings of placeholders, by name. */
export type Meanings = Readonly<Record<string, Meaning>>

interface Meaning {
  means: string
  /**
   * The value signs the reader in. Allowed only in the body, because lock screens show the subject and the first line.
   */
  secret?: true
  /** A body without this placeholder is refused. */
  required?: true
  /** A heading without this placeholder is refused. */
  requiredInHeading?: true
  /** Every text that a customer sets must begin with this placeholder. */
  requiredFirst?: true
  /** Some mails have no value for this placeholder. */
  optional?: true
}

/**
 * For notices of changes that an attacker may have made (ASVS 6.3.7): a customer's text cannot replace the standard
 * text or precede it.
 */
export const NOTICE: Meanings = {
  standard: {
    means:
      'The standard text of the part; in the body the standard paragraphs, as one paragraph. They say what happened to the account.',
    required: true,
    requiredFirst: true,
  },
}

interface KindOfMail {
  example: (() => Message) | null
  meanings: Meanings
  causedByStrangers: boolean
}

const kinds = new Map<MailKind, KindOfMail>()

/**
 * Defines a kind of mail, once, where it is composed. `example` composes one with a value for every placeholder: from it come the
 * list of placeholders and the preview. A kind without an example is for the team of an account: it keeps its
 * standard texts.
 * `meanings`: of the placeholders that other kinds do not have. `causedByStrangers`: of a notice, whether people who have proved
 * nothing can cause it.
 */
export function defineMail(
  name: string,
  example: (() => Message) | null = null,
  meanings: Meanings = {},
  { causedByStrangers = false } = {},
): MailKind {
  const kind = name as MailKind
  if (kinds.has(kind)) throw new Error(`The mail ${name} is defined twice`)
  kinds.set(kind, { example, meanings, causedByStrangers })
  return kind
}

/** Whether mails of this kind go to the account's own team. */
export function isForTeam(kind: string): boolean {
  return kinds.get(kind as MailKind)?.example === null
}

/** Whether mails of this kind are notices of a change that could be the work of an attacker. */
export function isNotice(kind: string): boolean {
  return kinds.get(kind as MailKind)?.meanings['standard'] === NOTICE['standard']
}

/** Whether people who have proved nothing can cause a notice of this kind. */
export function isCausedByStrangers(kind: string): boolean {
  return kinds.get(kind as MailKind)?.causedByStrangers === true
}

/** Every kind that any loaded module defines. */
export function mailKinds(): MailKind[] {
  return [...kinds.keys()].sort()
}

/** The kinds whose texts a directory may replace. */
export function editableKinds(): MailKind[] {
  return mailKinds().filter((kind) => kinds.get(kind)?.example)
}

/** A mail of the kind with made-up values, or null for a kind whose texts cannot be replaced. */
export function exampleOf(kind: MailKind): Message | null {
  return kinds.get(kind)?.example?.() ?? null
}

/** The meanings of the placeholders that only this kind has. */
export function meaningsOf(kind: MailKind): Meanings {
  return kinds.get(kind)?.meanings ?? {}
}
