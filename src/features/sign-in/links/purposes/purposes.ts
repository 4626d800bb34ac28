/** The purpose of a link. A link made for one purpose is never accepted for another (ASVS 6.6.2). */
export interface LinkPurpose {
  /** Permanent, because rows store it. */
  readonly name: string
  /**
   * Which live links of the same purpose a new link voids: those mailed to the same address; those of the same user,
   * if strangers can request a link to that address too; or none, if each link is about a different matter.
   */
  readonly replaces: 'address' | 'user' | 'none'
}

/** The purpose of links that are mailed. */
export interface MailedPurpose extends LinkPurpose {
  /**
   * The `type` in the URL of such a link, which tells its page what to do. Permanent, because applications have pages
   * for it.
   */
  readonly type: string
  /** The link neither signs in nor sets a sign-in method, so it stays valid when pending sign-ins end. */
  readonly opensNothing?: true
  /** The only reasons of a cut-off that withdraw the link. If absent, every cut-off does. */
  readonly endsBy?: readonly string[]
  /**
   * The link proves the mailbox, so a user with an unproved address cannot withdraw it, except by changing the
   * address.
   */
  readonly provesMailbox?: true
  /**
   * In the console directory the link belongs to a membership. Only changes of the membership withdraw it; cut-offs
   * and proofs do not.
   */
  readonly belongsToMembership?: true
}

const names = new Set<string>()
const mailed = new Map<string, MailedPurpose>()

/**
 * Defines a purpose of links that are never mailed. Each feature folder defines its own purposes once. Throws if the
 * name is taken.
 */
export function defineLinkPurpose(name: string, replaces: LinkPurpose['replaces'] = 'address'): LinkPurpose {
  if (names.has(name)) throw new Error(`The purpose ${name} of links is defined twice`)
  names.add(name)
  return { name, replaces }
}

/**
 * Defines a purpose of mailed links. Each feature folder defines its own purposes once. Throws if the name or type is
 * taken.
 */
export function defineMailedPurpose(
  name: string,
  type: string,
  {
    replaces,
    ...options
  }: Partial<
    Pick<MailedPurpose, 'replaces' | 'opensNothing' | 'endsBy' | 'provesMailbox' | 'belongsToMembership'>
  > = {},
): MailedPurpose {
  if (mailed.has(type)) throw new Error(`The type ${type} of links is defined twice`)
  const purpose = { ...defineLinkPurpose(name, replaces), type, ...options }
  mailed.set(type, purpose)
  return purpose
}

/** Whether links of the purpose are mailed. */
export function isMailed(purpose: LinkPurpose): purpose is MailedPurpose {
  return 'type' in purpose
}

/** Every purpose of mailed links that a loaded module has defined. */
export function mailedPurposes(): MailedPurpose[] {
  return [...mailed.values()]
}

/** The purpose with this `type` of link, or undefined. */
export function purposeOfType(type: string): MailedPurpose | undefined {
  return mailed.get(type)
}
