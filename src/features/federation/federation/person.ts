import { foldIdentifier } from '../../../platform/identifier.ts'
import { parseVouchedEmail } from '../../../platform/mail/address.ts'
import type { Work } from '../../../platform/work.ts'
import type { ProviderNames } from '../../access/federated-sessions/federated-sessions.ts'
import { FederationFailure } from './errors.ts'

/** A person as the provider describes them, after all checks of the protocol. */
export interface FederatedPerson {
  issuer: string
  subject: string
  /** The clients for which the provider uses this subject, such as a client id. Absent or null: all clients. */
  sector?: string | null
  email: string | null
  /**
   * Whether the provider vouches for the address, either with the boolean `true` or because of what is known about
   * its addresses. Null: unknown.
   */
  emailVerified: boolean | null
  firstName: string | null
  lastName: string | null
  displayName: string | null
  /** Other names of the person at the provider, which a provisioning client may use as `externalId` or `userName`. */
  externalIds?: readonly string[]
  userNames?: readonly string[]
  /** The `userNames` that only the provider's administrators can assign. */
  principalNames?: readonly string[]
  locale?: string | null
  /** Authentication methods (RFC 8176) that the provider is trusted for. May be empty. */
  amr: string[]
  /** Whether the person has proved two factors at the provider, and the provider is trusted for that. */
  isTwoFactor: boolean
  /** What the provider needs for a logout. Its form depends on the protocol. Secret. */
  logoutHint?: string
  /** The provider's names for the person and for this session, which the provider uses to sign them out. */
  providerNames?: ProviderNames
  /** When the session must end, according to the provider. */
  sessionEndsAt?: Date | null
  /** Whether the provider has signed the person out since this sign-in. */
  isSignedOut?(work: Work): Promise<boolean>
}

// A row of the index that finds persons by these names is limited to 2704 bytes.
const MAX_NAME_BYTES = 2400
const NAME_LENGTH = 200

/**
 * The person in a form that the database can store. The encoding cannot represent unpaired surrogates and replaces
 * all of them by the same character, so two subjects could become one. Throws FederationFailure.
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

// Names from provisioning have these limits, too.
const [MAX_SAID_NAMES, MAX_SAID_LENGTH] = [5, 320]

function toNames(names: readonly string[] = []): string[] {
  const fit = names.filter(
    (name) => name.length <= MAX_SAID_LENGTH && isStorable(name) && foldIdentifier(name) !== null,
  )
  return [...new Set(fit)].slice(0, MAX_SAID_NAMES)
}

/** The names of a person at a connection, stored with the link. */
export interface KeptNames {
  external_ids: string[] | null
  user_names: string[] | null
  principal_names: string[] | null
  address_norm: string | null
}

/**
 * The names to store, case-folded, by which a provisioning client that adds the person later finds the user. Social
 * providers have no such names. If the provider says that the address is not verified, the address is left out, and
 * no name counts as assigned by an administrator.
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

/** Whether a text can be stored unchanged. */
export function isStorable(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text)
}

/** Names in a form that the database can store, since a provider may send any text. */
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
