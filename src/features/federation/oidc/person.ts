import { foreignLocale } from '../../../platform/messages/locale.ts'
import type { Claims, OidcAnswer } from './provider.ts'

/** Which claims hold what: the mapping of a connection, over the claims of OpenID Connect Core §5.1. */
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
  /** What the provider says of the address; null where it says nothing that is clear. */
  emailVerified: boolean | null
  firstName: string | null
  lastName: string | null
  displayName: string | null
  /** What provisioning may know them by, as `externalId` and as `userName`. */
  externalIds: string[]
  userNames: string[]
  /** Those of `userNames` that the administrators of the provider assign. */
  principalNames: string[]
  locale: string | null
  /** Null if the provider says nothing of groups, or only where they are (OpenID Connect Core §5.6.2), as Entra ID does of many. */
  groups: string[] | null
  amr: string[]
  acr: string | null
  /** By the claim `session_expiry` (OpenID IPSIE, session lifetime), checked by `finishAuthorization`; null without it. */
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
/** The year 5138; also more than milliseconds would be taken for. */
const MAX_SECONDS = 1e11

/** Whether the ID token leaves out what the sign-in needs, so that userinfo is asked for it. */
export function lacksClaims(
  idToken: Claims,
  { names, needsGroups, externalId }: { names: ClaimNames; needsGroups: boolean; externalId: string | null },
): boolean {
  const { email, groups } = { ...USUAL, ...names }
  const needed = [email, ...(needsGroups ? [groups] : []), ...(externalId === null ? [] : [externalId])]
  return needed.some((name) => readClaim(idToken, name) === undefined)
}

/**
 * The person of an answer. An address counts as verified only where `email_verified` stands beside it and is the boolean
 * true: some providers send "true" for whatever their administrators have typed, and some send nothing. It is denied by
 * whatever says false of it.
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
    // Entra ID has another subject for each application, and `oid` for the person (directory object id).
    externalIds: toIdentifiers(externalId === null ? [subject, find('oid')] : [find(externalId)].flat()),
    userNames: toIdentifiers([find('upn'), find('preferred_username')]),
    // People can often choose `preferred_username`, and it need not be unique (OpenID Connect Core §5.7).
    principalNames: toIdentifiers([find('upn')]),
    locale: foreignLocale(find('locale')),
    groups: toGroups(find(mapped.groups)),
    amr: toTexts(idToken['amr'], MAX_NAME_LENGTH).slice(0, MAX_METHODS),
    acr: toText(idToken['acr'], MAX_NAME_LENGTH),
    sessionEndsAt: toMoment(idToken['session_expiry']),
  }
}

/** Seconds since the epoch; so far in the future that no date has it, there is no end. */
function toMoment(seconds: unknown): Date | null {
  return typeof seconds === 'number' && seconds < MAX_SECONDS ? new Date(seconds * 1000) : null
}

/** By its name, which may have dots, as a URL has; or by a path of names, such as `realm_access.roles`. */
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

/** Untrimmed: white space around an identifier may make it the identifier of another person. */
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

/** The same without trimming: names that differ by a space are two groups. */
function toExactTexts(value: unknown, maxLength: number): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.flatMap((item) => (typeof item === 'string' && toText(item, maxLength) !== null ? [item] : []))
}

/** Methods that prove what a user knows, has and is (RFC 8176 §2). */
const KINDS = [
  ['pwd', 'pin', 'kba'],
  ['otp', 'sms', 'swk', 'hwk', 'sc', 'tel', 'pop'],
  ['face', 'fpt', 'iris', 'retina', 'vbm'],
]
/** Contexts that say it in one word: PAPE, REFEDS, Okta. */
const TWO_FACTOR_CONTEXTS = new Set([
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
  'https://refeds.org/profile/mfa',
  'urn:okta:loa:2fa:any',
])

/** Whether the provider says that the person has shown two factors. */
export function showsTwoFactors({ amr, acr }: Pick<OidcPerson, 'amr' | 'acr'>): boolean {
  if (amr.includes('mfa') || (acr !== null && TWO_FACTOR_CONTEXTS.has(acr))) return true
  return KINDS.filter((kind) => kind.some((method) => amr.includes(method))).length > 1
}
