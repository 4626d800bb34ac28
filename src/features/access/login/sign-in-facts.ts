import type { HeldRole } from '../claims/claims.ts'

/** What prevents a sign-in before it is known whether a user has the address. */
export interface DoorState {
  /** `active`, `suspended` or `archived`; null for a directory without an organization. */
  organization_status: string | null
  /** Seconds until the lock of the address, seen from the end user's network, ends; null without a lock. */
  locked_seconds: number | null
}

/** What the door checks about a user. An expired sign-up does not count as one. */
export interface SignInFacts extends DoorState {
  user_id: string
  auth_account_id: string | null
  email: string
  locale: string | null
  email_verified: boolean
  /** Whether the user may sign in at all: neither deactivated nor locked by an administrator. */
  active: boolean
  /** Whether an administrator's lock is in force. */
  access_locked: boolean
  pending: boolean
  /** Whether a session is the first since an invitation: it is recorded that the person has come in. */
  invited: boolean
  role: string
  /** The roles of the organization that the user has; null for none. */
  held_roles: HeldRole[] | null
  /** Raised by every cut-off; a sign-in that read an older epoch does not pass. */
  epoch: number
  /** Whether the user has a second factor. */
  mfa_enrolled: boolean
  passkey_count: number
  /** How many live sessions the user has at most. */
  sessions_at_most: number
  organization_slug: string | null
  /** Of sessions: one that begins in an earlier epoch than the organization's has ended. */
  organization_epoch: number
}
