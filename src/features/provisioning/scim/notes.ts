import { onCommit } from '../../../platform/db/tx.ts'
import { type EventInput, record } from '../../../platform/events/events.ts'
import type { Origin } from '../../../platform/events/origin.ts'
import type { TxWork } from '../../../platform/work.ts'

/** The changes of a request, and warnings for its client. */
interface Notes {
  /** The types of the recorded events. */
  changes: string[]
  warnings: Set<string>
}

// By origin, because each request has its own.
const notes = new WeakMap<Origin, Notes>()

function notesOf(origin: Origin): Notes {
  const known = notes.get(origin) ?? { changes: [], warnings: new Set() }
  notes.set(origin, known)
  return known
}

/** Records a provisioning client's changes. The log counts them once they are committed. */
export async function recordChanges(work: TxWork, ...events: EventInput[]): Promise<void> {
  await record(work, ...events)
  onCommit(work.db, () => notesOf(work.origin).changes.push(...events.map(({ definition }) => definition.type)))
}

/** Adds a warning to the log of the request, if its transaction commits. */
export function warn(work: TxWork, warning: string): void {
  onCommit(work.db, () => notesOf(work.origin).warnings.add(warning))
}

/**
 * The warning that another resource has the same externalId (RFC 7643 §3.1). That is not an error, but usually means a
 * wrong mapping.
 */
export const REPEATED_USER =
  'Another user has this externalId. A returning user, and a user at the identity provider, is not found by it.'
export const REPEATED_GROUP = 'Another group has this externalId. A rule of group_role_mapping by it means both.'

const COUNTED = [
  ['scim.user.provisioned', 'user', 'provisioned'],
  ['scim.user.updated', 'user', 'updated'],
  ['scim.user.deprovisioned', 'user', 'deprovisioned'],
  ['scim.group.created', 'group', 'created'],
  ['scim.group.updated', 'group', 'updated'],
  ['scim.group.deleted', 'group', 'deleted'],
  ['scim.group.member_added', 'member', 'added'],
  ['scim.group.member_removed', 'member', 'removed'],
] as const

/** The changes of an accepted write, such as `1 group updated, 3 members added`. */
export function effectOf(origin: Origin): string {
  const { changes } = notesOf(origin)
  const effects = COUNTED.flatMap(([type, noun, done]) => {
    const count = changes.filter((change) => change === type).length
    return count === 0 ? [] : [`${count} ${count === 1 ? noun : `${noun}s`} ${done}`]
  })
  return effects.length === 0 ? 'Nothing changed' : effects.join(', ')
}

export function warningsOf(origin: Origin): string[] {
  return [...notesOf(origin).warnings]
}
