import type { DiscoveredOrganization, LoginFields, SessionTokens } from './gen/schemas.gen.ts'
import type { Unlisted } from './unlisted.ts'

/** What other members of {@link LoginResult} have: here it is absent. */
type Without<Field extends keyof LoginFields> = { [Name in Field]?: undefined }

type OfChallenge =
  | 'mfa_required'
  | 'challenge_token'
  | 'challenge_expires_at'
  | 'directory_user_id'
  | 'sub_org_id'
  | 'methods'
  | 'enrollment_required'
type OfChoice = 'discovery_token' | 'expires_at' | 'organizations'
type Shared = Omit<LoginFields, 'session' | 'sign_in_required' | OfChallenge | OfChoice>

/** The user is signed in. */
export interface SignedIn extends Shared, Without<OfChallenge | OfChoice | 'sign_in_required'> {
  session: SessionTokens
}

/** The first factor was correct, and a second one is missing: pass it with `mfa.challenge.verify`. */
export interface SecondFactorMissing extends Shared, Without<OfChoice | 'sign_in_required'> {
  session: null
  mfa_required: true
  /** For `mfa.challenge.verify`, or `mfa.totp.verify` if `enrollment_required`. */
  challenge_token: string
  /** When the challenge expires. After that the user must sign in again. */
  challenge_expires_at: string
  /** The user of the challenge. Send it as userId of an enrollment. */
  directory_user_id: string
  /** The organization of the challenge. Send it as subOrgId of the requests that continue it. Null for the team. */
  sub_org_id: string | null
  /** Methods that pass the challenge. `passkey`: sign in with a passkey instead. */
  methods: ('totp' | 'backup' | 'sms' | 'passkey' | Unlisted)[]
  /** The user has no factor and must enroll one to sign in. */
  enrollment_required: boolean
}

/** The person belongs to several organizations: enter one of them with `discovery.exchange`. */
export interface OrganizationMissing extends Shared, Without<OfChallenge | 'sign_in_required'> {
  session: null
  /** For `discovery.exchange`. */
  discovery_token: string
  /** When `discovery_token` expires. */
  expires_at: string
  /** The organizations to choose from. */
  organizations: DiscoveredOrganization[]
}

/** A member of the team has accepted an invitation, and must sign in as usual. */
export interface SignInMissing extends Shared, Without<OfChallenge | OfChoice> {
  session: null
  sign_in_required: true
}

/**
 * What a sign-in has led to. `session` is null unless the user is signed in; then `challenge_token`, `discovery_token` or
 * `sign_in_required` says what is missing.
 */
export type LoginResult = SignedIn | SecondFactorMissing | OrganizationMissing | SignInMissing
