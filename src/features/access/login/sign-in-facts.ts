import type { HeldRole } from '../claims/claims.ts'

/** Facts that can prevent a sign-in before it is known whether a user has the address. */
export interface DoorState {
  /** `active`, `suspended` or `archived`; null for a directory without an organization. */
  organization_status: string | null
  /** Seconds until the lock of the address ends, as it applies to the end user's network; null if there is none. */
  locked_seconds: number | null
}

/** The facts that the gates check about a user. An expired sign-up does not count as a user. */
export interface SignInFacts extends DoorState {
  user_id: string
  auth_account_id: string | null
  email: string
  locale: string | null
  email_verified: boolean
  /** Whether the user may sign in: neither deactivated nor locked by an administrator. */
  active: boolean
  /** Whether the user is locked by an administrator. */
  access_locked: boolean
  pending: boolean
  /** Whether this is the user's first sign-in since an invitation, which the sign-in then accepts. */
  invited: boolean
  role: string
  /** The custom roles of the user; null if there are none. */
  held_roles: HeldRole[] | null
  /** Raised by every cut-off, so that a sign-in which read an older epoch fails. */
  epoch: number
  /** Whether the user has a second factor. */
  mfa_enrolled: boolean
  passkey_count: number
  /** An upper bound of the user's live sessions. */
  sessions_at_most: number
  organization_slug: string | null
  /** The organization's session epoch. Sessions from an earlier epoch have ended. */
  organization_epoch: number
}
