import { foldIdentifier } from '../../../platform/identifier.ts'
import { parseVouchedEmail } from '../../../platform/mail/address.ts'
import type { Work } from '../../../platform/work.ts'
import type { ProviderNames } from '../../access/federated-sessions/federated-sessions.ts'
import { FederationFailure } from './errors.ts'

/** What a provider says of a person, after every check of its protocol. */
export interface FederatedPerson {
  issuer: string
  subject: string
  /** To which clients the provider names the person so, such as a client ID; absent or null: to all. */
  sector?: string | null
  email: string | null
  /** Whether the provider vouches for the address: with the boolean `true`, or by what is known of it; null: it does not say. */
  emailVerified: boolean | null
  firstName: string | null
  lastName: string | null
  displayName: string | null
  /** Other names of the person there, which a provisioning client may use as `externalId` or `userName`. */
  externalIds?: readonly string[]
  userNames?: readonly string[]
  /** Those of `userNames` that the administrators of the provider assign. */
  principalNames?: readonly string[]
  locale?: string | null
  /** RFC 8176: what the provider is trusted for, if anything. */
  amr: string[]
  /** Whether the person has proved two factors there, and the provider is trusted for that. */
  isTwoFactor: boolean
  /** What the provider takes for a logout, as the protocol has it: a secret. */
  logoutHint?: string
  /** How it names them, and this session, when it signs them out by itself. */
  providerNames?: ProviderNames
  /** When the session is to end, by the provider. */
  sessionEndsAt?: Date | null
  /** Whether the provider has signed them out since it said so. */
  isSignedOut?(work: Work): Promise<boolean>
}

// A row of the index that finds people has 2704 bytes.
const MAX_NAME_BYTES = 2400
const NAME_LENGTH = 200

/**
 * The person as the columns take them. The encoding of the database has no place for half a surrogate pair, and replaces
 * each by the same character: two subjects would become one. Throws FederationFailure.
 */
export function toStorable(person: FederatedPerson): FederatedPerson {
  const { issuer, subject, email, amr } = person
  if (!isStorable(issuer) || !isStorable(subject))
    throw new FederationFailure('response_invalid', 'The issuer or the subject has characters that are none.')
  if (Buffer.byteLength(issuer) + Buffer.byteLength(subject) > MAX_NAME_BYTES)
    throw new FederationFailure('response_invalid', 'The issuer and the subject are too long.')
  return {
    ...person,
    email: email !== null && isStorable(email) ? email : null,
    amr: amr.filter(isStorable),
    externalIds: toNames(person.externalIds),
    userNames: toNames(person.userNames),
    principalNames: toNames(person.principalNames),
  }
}

// As provisioning takes them.
const [MAX_SAID_NAMES, MAX_SAID_LENGTH] = [5, 320]

function toNames(names: readonly string[] = []): string[] {
  const fit = names.filter(
    (name) => name.length <= MAX_SAID_LENGTH && isStorable(name) && foldIdentifier(name) !== null,
  )
  return [...new Set(fit)].slice(0, MAX_SAID_NAMES)
}

/** How a person is named at a connection, as kept with the link. */
export interface KeptNames {
  external_ids: string[] | null
  user_names: string[] | null
  principal_names: string[] | null
  address_norm: string | null
}

/**
 * The names to keep, folded: a provisioning client that adds the person later finds the user by them. Social providers have
 * none. A denied address is kept under no name, and no name counts as assigned beside it.
 */
export function keptNames(
  method: 'sso' | 'social',
  { externalIds = [], userNames = [], principalNames = [], email, emailVerified }: FederatedPerson,
): KeptNames {
  if (method !== 'sso') return { external_ids: null, user_names: null, principal_names: null, address_norm: null }
  const address = email === null ? null : (parseVouchedEmail(email)?.norm ?? null)
  const names = foldAll([...userNames, ...(address === null ? [] : [address])])
  const isDenied = emailVerified === false
  return {
    external_ids: [...externalIds],
    user_names: isDenied ? names.filter((name) => name !== address) : names,
    principal_names: isDenied ? [] : foldAll(principalNames),
    address_norm: isDenied ? null : address,
  }
}

const foldAll = (names: readonly string[]) => names.flatMap((name) => foldIdentifier(name) ?? [])

/** Whether a text of a provider is stored as it is. */
export function isStorable(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text)
}

/** Names as the columns take them: what a provider says may be anything. */
export function trimmed({ displayName, firstName, lastName, locale = null }: FederatedPerson) {
  const trim = (text: string | null) => {
    const line = text
      ?.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')
      .trim()
      .slice(0, NAME_LENGTH)
    return line ? line : null
  }
  return { displayName: trim(displayName), firstName: trim(firstName), lastName: trim(lastName), locale }
}
