import type { Work } from '../../platform/work.ts'
import type { GroupOfUser } from './store.ts'

/** The groups of users. */
export async function groupsOf(_work: Pick<Work, 'db' | 'directory'>, _userIds: string[]): Promise<GroupOfUser[]> {
  return []
}
