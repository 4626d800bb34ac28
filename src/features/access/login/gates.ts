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

/** The sign-in or refresh that a gate judges. */
export interface Entry {
  facts: SignInFacts
  /** The method of the proof; at a refresh, the method of the session. */
  method: string
  amr: string[]
  aal: string
  /** The session to refresh; null at a sign-in. */
  session: { id: string; trustedDeviceId: string | null } | null
  /**
   * The hash of a password that replaces the current one. A gate that holds the user stores it until they have
   * passed.
   */
  nextPasswordHash?: string | null
  /**
   * The gates must not write anything, and may hold a user that they would otherwise let pass. If one does, they are
   * asked again in a transaction.
   */
  isTentative?: boolean
}

/** The gate lets the user in. */
export interface Pass {
  kind: 'pass'
  /**
   * Conditions on the user's row under which the decision holds. The statement that creates the session checks them,
   * so a concurrent change cannot be bypassed.
   */
  conditions: UsedCondition[]
  /** The trusted device that makes the second factor unnecessary. */
  deviceId: string | null
  /** Events that the statement which creates the session records. */
  events: EventInput[]
  /** Fields to add to the response. */
  reply: Pick<SessionReply, 'mfa'>
  /** The roles of a team member in the account and on rosters. Roles with `until` are lost. */
  teamRoles?: readonly { role: string; since: Date; until: Date | null; inProduction: boolean }[]
}

/** The gate requires something more before there is a session. It uses up the proof for its own answer. */
export interface Hold<R extends object = object> {
  kind: 'hold'
  outcome: UsedOutcome<R>
  /** The id of the row that the outcome creates. */
  madeId: string
  /** Conditions on the user's row, as in `Pass`. */
  conditions: UsedCondition[]
  events: EventInput[]
  answer(made: R): Promise<SessionReply>
}

/**
 * Reads a lock, by a scalar SQL expression over `asked` (`identity`, `directory_id`, and these columns) and `users`.
 */
export interface AddressLock {
  columns: Columns
  values(work: Work): RowOf<Columns>
  /** Seconds until the lock of the address ends; null if there is none. */
  seconds(directory: SqlText): SqlText
  /** Like `seconds`, for a user given by id. Counts a lock for any network. */
  secondsOfUser: SqlText
}

/** A reason to refuse or delay a session. */
export interface Gate {
  /** How long an address must wait. The statement that reads the facts reads this as well. */
  lock?: AddressLock
  /**
   * Throws if the address is not allowed here, whether or not a user has it. Called before codes and links are sent,
   * and in every sign-in method.
   */
  refuseAddress?(work: Work, state: DoorState): void | Promise<void>
  /**
   * Throws if the user may not sign in at all. Called before a proof is used up. May depend only on data whose change
   * cuts the user off; anything else also needs a condition in `evaluate`.
   */
  refuseUser?(work: Work, facts: SignInFacts): void
  /**
   * Judges a correct proof, before it is used up. `passed` has the results of the previous gates. Null: the gate does
   * not apply.
   */
  evaluate?(work: Work, entry: Entry, passed: Pass): Promise<Pass | Hold | null>
}

// Slot: gates belong to wings that may not be imported from here. A list in `src/wiring` defines the order of gates.
/** The gates, in the order in which they are asked. */
export const gates = defineSlot<readonly Gate[]>('the gates')

/**
 * Refuses all sign-ins and refreshes while the organization is suspended or archived. Throws
 * `organization_suspended`.
 */
export const organizationGate: Gate = {
  refuseAddress({ directory }, state) {
    const status = directory.organizationId === null ? 'active' : (state.organization_status ?? 'archived')
    if (status !== 'active') throw httpErrors.organizationSuspended({ extra: { organization_status: status } })
  },
}

/** Refuses a user who is deactivated or locked by an administrator. Throws `user_locked`, `user_inactive`. */
export const activeGate: Gate = {
  refuseUser(_work, facts) {
    if (facts.access_locked) throw loginErrors.userLocked()
    if (!facts.active) throw loginErrors.userInactive()
  },
}

/**
 * Checks the same on a user's row, before the user is sent or given something. Throws `user_locked`, `user_inactive`.
 */
export function assertActive(user: Pick<UserRow, 'active' | 'locked'>): void {
  if (user.locked === 'administrator') throw loginErrors.userLocked()
  if (!user.active) throw loginErrors.userInactive()
}

/** Requires that the gates allow this address. Throws what the gates throw. */
export async function assertAddressAllowed(work: Work, state: DoorState): Promise<void> {
  for (const gate of gates.of(work.platform)) await gate.refuseAddress?.(work, state)
}

/**
 * Requires that this user may have a session. Checked at every sign-in and refresh. Throws `organization_suspended`,
 * `account_locked`, `user_locked`, `user_inactive`, and what other gates throw.
 */
export async function assertMaySignIn(work: Work, facts: SignInFacts): Promise<void> {
  for (const gate of gates.of(work.platform)) {
    await gate.refuseAddress?.(work, facts)
    gate.refuseUser?.(work, facts)
  }
}

/** Asks the gates one after the other, until one holds the user. */
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
