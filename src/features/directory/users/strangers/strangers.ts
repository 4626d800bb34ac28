import type { UserRow } from '../store.ts'

/** The sources of users who can be made by anyone who knows an address. */
export const SELF_SERVICE = ['signup', 'social']

/** Whether this user may have been made by another person than the owner of the mailbox. */
export function mayBelongToStranger({ source, proved_before }: Pick<UserRow, 'source' | 'proved_before'>): boolean {
  return SELF_SERVICE.includes(source) && !proved_before
}
