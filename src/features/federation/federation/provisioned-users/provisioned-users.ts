import { defineSlot } from '../../../../platform/platform.ts'
import type { TxWork, Work } from '../../../../platform/work.ts'

export { linkedConnection } from '../store.ts'

/** The names of a person at an identity provider, to compare with names from a provisioning client. */
export interface SaidNames {
  connectionId: string
  /** Connection, issuer and subject, one on each line. */
  identity: string
  /** Values that may be the `externalId`. */
  externalIds: readonly string[]
  /** Whether the connection names the claim for `externalId` (`scim_match`). */
  isClaimNamed: boolean
  /** Values that may be the `userName`, without the address. */
  userNames: readonly string[]
  /** The `userNames` that administrators assign: `upn` and the SAML NameID, but not `preferred_username`. */
  principalNames: readonly string[]
  /** The address, if the provider is trusted for it. */
  emailNorm: string | null
  /** The address from the provider, trusted or not. Empty if the provider sent a text that is not an address. */
  statedNorm: string | null
  /** Whether the provider says that the address is not verified. */
  isDenied: boolean
  /** The domains that the connection is limited to. */
  domains: readonly string[]
}

/** What provisioning knows about a person who signs in for the first time. */
export interface ProvisionedMatch {
  /** Whether provisioning is enabled for the organization. */
  isProvisioning: boolean
  userId: string | null
  /** Whether the organization has verified the domain of the user's address. */
  isProved: boolean
  /** Why the person may neither sign in nor become a user. */
  refusal: { code: 'account_not_linked' | 'domain_not_verified' | 'user_inactive'; detail: string } | null
}

// Slot: these users belong to `provisioning`, which may not be imported from here. `src/wiring` fills the slot.
/**
 * Finds users of a provisioning client. `refuseOther` refuses a sign-in if the person's names match a provisioned
 * user other than the linked one. `hold` prevents concurrent requests from adding the same person.
 */
export const provisionedUsers = defineSlot<{
  match(work: Work, said: SaidNames): Promise<ProvisionedMatch>
  refuseOther(work: Work, said: SaidNames, userId: string): Promise<ProvisionedMatch['refusal']>
  hold(work: TxWork, said: SaidNames): Promise<void>
}>('the users of provisioning')

export const NO_MATCH: ProvisionedMatch = { isProvisioning: false, userId: null, isProved: true, refusal: null }
