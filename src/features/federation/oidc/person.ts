import { foreignLocale } from '../../../platform/messages/locale.ts'
import type { Claims, OidcAnswer } from './provider.ts'

/** The names of the claims to read: a connection's mapping, which overrides the claims of OpenID Connect Core §5.1. */
export interface ClaimNames {
  email?: string
  first_name?: string
  last_name?: string
  display_name?: string
  groups?: string
}

export interface OidcPerson {
  issuer: string
  subject: string
  email: string | null
  /** Whether the provider says that the address is verified; null if the provider does not say so clearly. */
  emailVerified: boolean | null
  firstName: string | null
  lastName: string | null
  displayName: string | null
  /** Values that provisioning may have stored as the user's `externalId` and `userName`. */
  externalIds: string[]
  userNames: string[]
  /** The `userNames` that only the provider's administrators can assign. */
  principalNames: string[]
  locale: string | null
  /**
   * Null if the provider sends no groups, or only a link to them (OpenID Connect Core §5.6.2), as Entra ID does for
   * users in many groups.
   */
  groups: string[] | null
  amr: string[]
  acr: string | null
  /**
   * From the claim `session_expiry` (OpenID IPSIE, session lifetime), which `finishAuthorization` checks. Null
   * without the claim.
   */
  sessionEndsAt: Date | null
}

const USUAL = {
  email: 'email',
  first_name: 'given_name',
  last_name: 'family_name',
  display_name: 'name',
  groups: 'groups',
}
const [MAX_EMAIL_LENGTH, MAX_NAME_LENGTH, MAX_GROUP_LENGTH] = [320, 200, 300]
const [MAX_GROUPS, MAX_METHODS] = [1000, 20]
/** Seconds until the year 5138. A greater value is probably in milliseconds. */
const MAX_SECONDS = 1e11

/** Whether the ID token lacks a claim that the sign-in needs, so that the userinfo endpoint is asked. */
export function lacksClaims(
  idToken: Claims,
  { names, needsGroups, externalId }: { names: ClaimNames; needsGroups: boolean; externalId: string | null },
): boolean {
  const { email, groups } = { ...USUAL, ...names }
  const needed = [email, ...(needsGroups ? [groups] : []), ...(externalId === null ? [] : [externalId])]
  return needed.some((name) => readClaim(idToken, name) === undefined)
}

/**
 * Reads the person from the provider's answer. An address counts as verified only if `email_verified` is the boolean
 * true in the same claims: some providers send "true" for any address that their administrators typed, and some send
 * nothing. If either the ID token or userinfo says false about the address, it counts as not verified.
 */
export function toPerson(
  { issuer, subject, idToken, userinfo }: OidcAnswer,
  names: ClaimNames = {},
  externalId: string | null = null,
): OidcPerson {
  const mapped = { ...USUAL, ...names }
  const find = (name: string) => readClaim(idToken, name) ?? readClaim(userinfo ?? {}, name)
  const beside = readClaim(idToken, mapped.email) === undefined ? (userinfo ?? {}) : idToken
  const email = find(mapped.email)
  const isUsual = mapped.email === USUAL.email
  const denies = (claims: Claims) =>
    [false, 'false'].some((no) => claims['email_verified'] === no) && (claims['email'] ?? (isUsual && email)) === email
  const isVerified = isUsual && beside['email_verified'] === true
  return {
    issuer,
    subject,
    email: toIdentifiers([email])[0] ?? null,
    emailVerified: denies(idToken) || denies(userinfo ?? {}) ? false : isVerified || null,
    firstName: toText(find(mapped.first_name), MAX_NAME_LENGTH),
    lastName: toText(find(mapped.last_name), MAX_NAME_LENGTH),
    displayName: toText(find(mapped.display_name), MAX_NAME_LENGTH),
    // Entra ID sends a different subject to each application. `oid` is the person's directory object id.
    externalIds: toIdentifiers(externalId === null ? [subject, find('oid')] : [find(externalId)].flat()),
    userNames: toIdentifiers([find('upn'), find('preferred_username')]),
    // Users can often choose their `preferred_username`, and it need not be unique (OpenID Connect Core §5.7).
    principalNames: toIdentifiers([find('upn')]),
    locale: foreignLocale(find('locale')),
    groups: toGroups(find(mapped.groups)),
    amr: toTexts(idToken['amr'], MAX_NAME_LENGTH).slice(0, MAX_METHODS),
    acr: toText(idToken['acr'], MAX_NAME_LENGTH),
    sessionEndsAt: toMoment(idToken['session_expiry']),
  }
}

/** Converts seconds since the epoch. A value beyond every date means that the session has no end. */
function toMoment(seconds: unknown): Date | null {
  return typeof seconds === 'number' && seconds < MAX_SECONDS ? new Date(seconds * 1000) : null
}

/**
 * Reads a claim by its name, which may contain dots as a URL does, or by a path of names such as
 * `realm_access.roles`.
 */
function readClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name] ?? undefined
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = Reflect.get(value, part)
  }
  return value ?? undefined
}

function toText(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string') return null
  const text = value.trim()
  return text === '' || text.length > maxLength ? null : text
}

/** Does not trim: without its white space, an identifier could be the identifier of another person. */
function toIdentifiers(values: unknown[]): string[] {
  const texts = values.filter((value) => typeof value === 'string')
  return texts.filter((text) => text !== '' && text.length <= MAX_EMAIL_LENGTH)
}

function toTexts(value: unknown, maxLength: number): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.flatMap((item) => toText(item, maxLength) ?? [])
}

function toGroups(value: unknown): string[] | null {
  const isSaid = typeof value === 'string' || Array.isArray(value)
  return isSaid ? toExactTexts(value, MAX_GROUP_LENGTH).slice(0, MAX_GROUPS) : null
}

/** Does not trim: names that differ by a space are two groups. */
function toExactTexts(value: unknown, maxLength: number): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.flatMap((item) => (typeof item === 'string' && toText(item, maxLength) !== null ? [item] : []))
}

/** Authentication methods, grouped by what they prove: something the user knows, has or is (RFC 8176 §2). */
const KINDS = [
  ['pwd', 'pin', 'kba'],
  ['otp', 'sms', 'swk', 'hwk', 'sc', 'tel', 'pop'],
  ['face', 'fpt', 'iris', 'retina', 'vbm'],
]
/** Values of `acr` that stand for two factors: PAPE, REFEDS, Okta. */
const TWO_FACTOR_CONTEXTS = new Set([
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
  'https://refeds.org/profile/mfa',
  'urn:okta:loa:2fa:any',
])

/** Whether the provider says that the user has proved two factors. */
export function showsTwoFactors({ amr, acr }: Pick<OidcPerson, 'amr' | 'acr'>): boolean {
  if (amr.includes('mfa') || (acr !== null && TWO_FACTOR_CONTEXTS.has(acr))) return true
  return KINDS.filter((kind) => kind.some((method) => amr.includes(method))).length > 1
}
