/** Claims that this service sets or may set later. */
const OWN = [
  'sid org_id org_slug directory_user_id email email_verified role roles permissions permissions_truncated',
  'amr aal auth_time env connection_id act claims_truncated user_id username active token_type',
]

/**
 * Claims with a standard meaning: JWT (RFC 7519 §4.1), access tokens (RFC 9068 §2.2), token exchange (RFC 8693 §4),
 * proof of possession (RFC 7800 §3.1), security events (RFC 8417 §2.2), authorization details (RFC 9396), identity
 * (OpenID Connect Core §2, §5.1, §5.6).
 */
const REGISTERED = [
  'iss sub aud exp nbf iat jti client_id scope groups entitlements may_act cnf events toe txn authorization_details acr azp',
  'nonce at_hash c_hash s_hash sub_jwk name given_name family_name middle_name nickname preferred_username profile picture',
  'website gender birthdate zoneinfo locale phone_number phone_number_verified address updated_at _claim_names _claim_sources',
]

const taken = new Set([...OWN, ...REGISTERED].flatMap((names) => names.split(' ')))

/** Whether a claim name is reserved, so that a setting may not use it. */
export function isClaimTaken(name: string): boolean {
  return taken.has(name.toLowerCase())
}
