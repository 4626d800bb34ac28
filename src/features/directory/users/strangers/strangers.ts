import type { UserRow } from '../store.ts'

/** The sources of users that anyone who knows the address could have created. */
export const SELF_SERVICE = ['signup', 'social']

/** Whether the user may have been created by someone other than the owner of the mailbox. */
export function mayBelongToStranger({ source, proved_before }: Pick<UserRow, 'source' | 'proved_before'>): boolean {
  return SELF_SERVICE.includes(source) && !proved_before
}
