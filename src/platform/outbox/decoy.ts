import type { Platform } from '../platform.ts'
import type { AnyOutbox } from './outbox.ts'

const NO_USER = 'no user of this organization has this address'

/** Why a message is composed and dropped instead of sent, in words for the developer. */
export type DecoyReason = string

/** Why nothing is sent to an address, given the user who has it. */
export function decoyReasonOf(user: { active: boolean } | null, letsNobodyIn = false): DecoyReason {
  if (user === null)
    return letsNobodyIn
      ? `${NO_USER}, and the request did not allow a new user: send openSignup, and try again after half a minute`
      : NO_USER
  return user.active ? 'the user has not proved the mailbox' : 'the user is inactive or locked'
}

/**
 * The fields that an outbox stores about a decoy. If messages are sent, the reason is not stored, because it would
 * reveal who has an address. A decoy's content looks like that of any message.
 */
export function decoyFields(platform: Platform, outbox: AnyOutbox, reason: DecoyReason | null) {
  const decoy = reason !== null
  return decoy && outbox.keeps(platform) ? { decoy, decoyReason: reason } : { decoy }
}
