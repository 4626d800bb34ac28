import type { Platform } from '../platform.ts'
import type { AnyOutbox } from './outbox.ts'

const NOBODY = 'nobody in this organization has this address'

/** Why a message is composed and dropped instead of sent, in words for the developer. */
export type DecoyReason = string

/** Why nothing is sent to an address, from the user who has it. */
export function decoyReasonOf(user: { active: boolean } | null, letsNobodyIn = false): DecoyReason {
  if (user === null)
    return letsNobodyIn
      ? `${NOBODY}, and nobody new is let in: send openSignup, and ask again half a minute later`
      : NOBODY
  return user.active ? 'the user has not proved the mailbox' : 'the user is inactive or locked'
}

/**
 * What an outbox keeps of it. Where messages are sent the reason is stored nowhere: it tells who has an address, and the
 * content of a decoy is that of a message.
 */
export function decoyFields(platform: Platform, outbox: AnyOutbox, reason: DecoyReason | null) {
  const decoy = reason !== null
  return decoy && outbox.keeps(platform) ? { decoy, decoyReason: reason } : { decoy }
}
