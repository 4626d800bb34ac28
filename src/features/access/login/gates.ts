import { httpErrors } from '../../../platform/errors.ts'
import type { EventInput } from '../../../platform/events/events.ts'
import type { UsedCondition, UsedOutcome } from '../../../platform/joined/proofs.ts'
import type { Columns, RowOf } from '../../../platform/joined/recordset.ts'
import type { SqlText } from '../../../platform/joined/sql-text.ts'
import { defineSlot } from '../../../platform/platform.ts'
import type { Work } from '../../../platform/work.ts'
import type { UserRow } from '../../directory/users/users.ts'
import { loginErrors } from './errors.ts'
import type { SessionReply } from './session-reply.ts'
import type { DoorState, SignInFacts } from './sign-in-facts.ts'

/** Who asks for tokens, and how: what a gate judges by. */
export interface Entry {
  facts: SignInFacts
  /** The method of the proof; at a refresh that of the session. */
  method: string
  amr: string[]
  aal: string
  /** The session that is refreshed; null at a sign-in. */
  session: { id: string; trustedDeviceId: string | null } | null
  /** The hash of a password that replaces the present one: a gate that holds the user keeps it until they have passed. */
  nextPasswordHash?: string | null
  /** The gates write nothing, and may hold a user who would pass. They then run again, in a transaction. */
  isTentative?: boolean
}

/** A gate lets the user in. */
export interface Pass {
  kind: 'pass'
  /**
   * Conditions on the row `users` under which this still holds: checked by the very statement that creates the session,
   * so that what is changed concurrently cannot be bypassed.
   */
  conditions: UsedCondition[]
  /** The trusted device that replaces the second factor. */
  deviceId: string | null
  /** Recorded by the statement that creates the session. */
  events: EventInput[]
  /** Members of the answer. */
  reply: Pick<SessionReply, 'mfa'>
  /** The roles of a member of the team who signs in, in the account and on rosters; those with `until` are lost. */
  teamRoles?: readonly { role: string; since: Date; until: Date | null; inProduction: boolean }[]
}

/** A gate wants something more before there is a session: the proof is burnt for what it answers instead. */
export interface Hold<R extends object = object> {
  kind: 'hold'
  outcome: UsedOutcome<R>
  /** The id of what is made. */
  madeId: string
  /** What must still hold of the row `users` then, like that of a `Pass`. */
  conditions: UsedCondition[]
  events: EventInput[]
  answer(made: R): Promise<SessionReply>
}

/** Reads a lock, as a scalar expression over `asked` (`identity`, `directory_id`, and these columns) and `users`. */
export interface AddressLock {
  columns: Columns
  values(work: Work): RowOf<Columns>
  /** Seconds until the lock of the address ends; null without one. */
  seconds(directory: SqlText): SqlText
  /** The same for a user who is named by id, with a lock from any network. */
  secondsOfUser: SqlText
}

/** One reason to refuse or delay a session. */
export interface Gate {
  /** How long an address must wait, which the statement that reads the facts reads with them. */
  lock?: AddressLock
  /**
   * Refuses, by throwing, an address that is not allowed here, whether or not a user has it: before codes and links are
   * sent, and in every sign-in method.
   */
  refuseAddress?(work: Work, state: DoorState): void | Promise<void>
  /**
   * Refuses, by throwing, a user who may not come in at all: before a proof is consumed. What it judges by must be
   * something whose change cuts the user off; anything else also needs a condition in `evaluate`.
   */
  refuseUser?(work: Work, facts: SignInFacts): void
  /**
   * Judges a right proof, before it is consumed. `passed` is what the gates before it have answered. Null: it has nothing
   * to say.
   */
  evaluate?(work: Work, entry: Entry, passed: Pass): Promise<Pass | Hold | null>
}

// Slot: gates are of the wings above, and a register lists them in their order.
/** The gates of this deployment, in the order in which they are asked. */
export const gates = defineSlot<readonly Gate[]>('the gates')

/** No user signs in or refreshes while the organization is suspended or archived. Throws `organization_suspended`. */
export const organizationGate: Gate = {
  refuseAddress({ directory }, state) {
    const status = directory.organizationId === null ? 'active' : (state.organization_status ?? 'archived')
    if (status !== 'active') throw httpErrors.organizationSuspended({ extra: { organization_status: status } })
  },
}

/** Refuses a user that an administrator has locked or deactivated. Throws `user_locked`, `user_inactive`. */
export const activeGate: Gate = {
  refuseUser(_work, facts) {
    if (facts.access_locked) throw loginErrors.userLocked()
    if (!facts.active) throw loginErrors.userInactive()
  },
}

/** The same for a row, before something is sent or given to its user. Throws `user_locked`, `user_inactive`. */
export function assertActive(user: Pick<UserRow, 'active' | 'locked'>): void {
  if (user.locked === 'administrator') throw loginErrors.userLocked()
  if (!user.active) throw loginErrors.userInactive()
}

/** Whether anyone with this address may try. Throws what the gates throw. */
export async function assertAddressAllowed(work: Work, state: DoorState): Promise<void> {
  for (const gate of gates.of(work.platform)) await gate.refuseAddress?.(work, state)
}

/**
 * Whether this user may hold a session, checked at every sign-in and every refresh.
 * Throws `organization_suspended`, `account_locked`, `user_locked`, `user_inactive`, and what other gates throw.
 */
export async function assertMaySignIn(work: Work, facts: SignInFacts): Promise<void> {
  for (const gate of gates.of(work.platform)) {
    await gate.refuseAddress?.(work, facts)
    gate.refuseUser?.(work, facts)
  }
}

/** Asks every gate in turn, up to the first that holds. */
export async function passGates(work: Work, entry: Entry): Promise<Pass | Hold> {
  const passed: Pass = { kind: 'pass', conditions: [], deviceId: null, events: [], reply: {} }
  for (const gate of gates.of(work.platform)) {
    const verdict = await gate.evaluate?.(work, entry, passed)
    if (!verdict) continue
    if (verdict.kind === 'hold') {
      return { ...verdict, conditions: [...passed.conditions, ...verdict.conditions] }
    }
    passed.conditions.push(...verdict.conditions)
    passed.events.push(...verdict.events)
    passed.deviceId ??= verdict.deviceId
    if (verdict.teamRoles) passed.teamRoles = verdict.teamRoles
    Object.assign(passed.reply, verdict.reply)
  }
  return passed
}
