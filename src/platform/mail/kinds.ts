import type { MailKind, Message } from './message.ts'

const kinds = new Map<MailKind, (() => Message) | null>()

/**
 * Defines a kind of mail, once, where it is composed. `example` composes one with every placeholder: from it come the list of
 * placeholders and the preview. A kind without one is for the team of the account: it keeps its standard texts.
 */
export function defineMail(name: string, example: (() => Message) | null = null): MailKind {
  const kind = name as MailKind
  if (kinds.has(kind)) throw new Error(`The mail ${name} is defined twice`)
  kinds.set(kind, example)
  return kind
}

/** Whether members of the account's own team get it, whatever the directory is that it is about. */
export function isForTeam(kind: string): boolean {
  return kinds.get(kind as MailKind) === null
}

/** Every kind that any loaded module defines. */
export function mailKinds(): MailKind[] {
  return [...kinds.keys()].sort()
}

/** Those whose texts a directory may replace. */
export function editableKinds(): MailKind[] {
  return mailKinds().filter((kind) => kinds.get(kind))
}

/** A mail of the kind with made-up values, or null for a kind whose texts cannot be replaced. */
export function exampleOf(kind: MailKind): Message | null {
  return kinds.get(kind)?.() ?? null
}
