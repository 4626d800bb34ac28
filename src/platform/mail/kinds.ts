/** The kind of a mail, such as `login_otp`: a directory may give each kind its own subject. */
export type MailKind = string & { readonly is: 'a kind of mail' }

const kinds = new Set<MailKind>()

/** Defines a kind of mail, once, where it is composed. */
export function defineMail(name: string): MailKind {
  const kind = name as MailKind
  if (kinds.has(kind)) throw new Error(`The mail ${name} is defined twice`)
  kinds.add(kind)
  return kind
}

/** Every kind that any loaded module defines. */
export function mailKinds(): MailKind[] {
  return [...kinds].sort()
}
