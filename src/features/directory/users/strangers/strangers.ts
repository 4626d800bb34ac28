import type { UserRow } from '../store.ts'

/** Where strangers can make themselves a user of an address. */
export const SELF_SERVICE = ['signup', 'social']

/** Whether whoever made this user of the address may be somebody else than the owner of the mailbox. */
export function mayBeStrangers({ source, proved_before }: Pick<UserRow, 'source' | 'proved_before'>): boolean {
  return SELF_SERVICE.includes(source) && !proved_before
}
