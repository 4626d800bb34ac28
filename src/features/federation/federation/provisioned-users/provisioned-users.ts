import { defineSlot } from '../../../../platform/platform.ts'
import type { TxWork, Work } from '../../../../platform/work.ts'

export { linkedConnection } from '../store.ts'

/** How an identity provider names a person, as a provisioning client may have named them. */
export interface SaidNames {
  connectionId: string
  /** Connection, issuer and subject, on lines of their own. */
  identity: string
  /** Values that may be the `externalId`. */
  externalIds: readonly string[]
  /** Whether the connection says which claim that is (`scim_match`). */
  isClaimNamed: boolean
  /** Values that may be the `userName`, without the address. */
  userNames: readonly string[]
  /** Those of `userNames` that administrators assign: `upn` and the SAML NameID, not `preferred_username`. */
  principalNames: readonly string[]
  /** The address, if the provider may speak for it. */
  emailNorm: string | null
  /** The address that the provider states, whether or not it may speak for it; '' for a text that is no address. */
  statedNorm: string | null
  /** Whether the provider says that the address is not verified. */
  isDenied: boolean
  /** Of the connection. */
  domains: readonly string[]
}

/** What provisioning knows of a person who signs in for the first time. */
export interface ProvisionedMatch {
  /** Whether provisioning is enabled for the organization. */
  isProvisioning: boolean
  userId: string | null
  /** Whether the organization has verified the domain of that user's address. */
  isProved: boolean
  /** Why the person may neither sign in nor become a user. */
  refusal: { code: 'account_not_linked' | 'domain_not_verified' | 'user_inactive'; detail: string } | null
}

// Slot: the wing of federation asks that of provisioning, which is above.
/**
 * Finds users of a provisioning client. `refuseOther`: refuses a sign-in if what the provider says matches another
 * provisioned user than the linked one. `hold` prevents other requests from adding the same person at the same time.
 */
export const provisionedUsers = defineSlot<{
  match(work: Work, said: SaidNames): Promise<ProvisionedMatch>
  refuseOther(work: Work, said: SaidNames, userId: string): Promise<ProvisionedMatch['refusal']>
  hold(work: TxWork, said: SaidNames): Promise<void>
}>('the users of provisioning')

export const NO_MATCH: ProvisionedMatch = { isProvisioning: false, userId: null, isProved: true, refusal: null }
