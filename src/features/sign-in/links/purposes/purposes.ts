/** What a link is for: one that was made for a purpose is never accepted for another (ASVS 6.6.2). */
export interface LinkPurpose {
  /** Permanent: rows hold it. */
  readonly name: string
  /**
   * Which live links of the purpose a new one voids: those mailed to its address; those of its user, if a stranger can
   * also have one mailed to the address; or none, if each link is about something else.
   */
  readonly replaces: 'address' | 'user' | 'none'
}

/** The purpose of links that are mailed. */
export interface MailedPurpose extends LinkPurpose {
  /** `type` of such a link, for the page that it leads to. Permanent: applications have pages for it, too. */
  readonly type: string
  /** The link neither signs in nor sets a sign-in method, so it outlives the sign-ins in progress. */
  readonly opensNothing?: true
  /** The only reasons of a cut-off that withdraw it; absent: any. */
  readonly endsBy?: readonly string[]
  /** It proves the mailbox, so a user with an unproved address cannot withdraw it, except by a new address. */
  readonly provesMailbox?: true
  /** In the console directory it belongs to a membership. Only changes of the membership withdraw it, no cut-off or proof. */
  readonly belongsToMembership?: true
}

const names = new Set<string>()
const mailed = new Map<string, MailedPurpose>()

/** Defines a purpose, once, in the noun whose links it is for; they are never mailed. Throws for a taken name. */
export function defineLinkPurpose(name: string, replaces: LinkPurpose['replaces'] = 'address'): LinkPurpose {
  if (names.has(name)) throw new Error(`The purpose ${name} of links is defined twice`)
  names.add(name)
  return { name, replaces }
}

/** Defines the purpose of links that are mailed, once, in their noun. Throws for a taken name or type. */
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

/** Every purpose of mailed links that any loaded module defines. */
export function mailedPurposes(): MailedPurpose[] {
  return [...mailed.values()]
}

/** The purpose that the `type` of a link stands for, or undefined. */
export function purposeOfType(type: string): MailedPurpose | undefined {
  return mailed.get(type)
}
