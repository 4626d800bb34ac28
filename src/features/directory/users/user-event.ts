import { changedFrom, type EventFactory, type EventInput, record } from '../../../platform/events/events.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { TxWork } from '../../../platform/work.ts'
import { toUser, type User } from './schema.ts'
import type { UserRow } from './store.ts'

/**
 * Records a `user.*` event with the user as the API shows them. If `before` is given, the event also has the previous
 * values of changed fields.
 */
export async function recordUser(work: TxWork, event: UserEvent, after: UserRow, before?: UserRow): Promise<void> {
  await record(work, userEvent(work.directory, event, after, before))
}

type UserEvent = EventFactory<typeof User>

export function userEvent(directory: Directory, event: UserEvent, after: UserRow, before?: UserRow): EventInput {
  const data = toUser(after, directory.organizationId)
  const previous = before ? { previous: changedFrom(toUser(before, directory.organizationId), data) } : {}
  return event({ target: { type: 'user', id: after.id }, data, ...previous })
}
