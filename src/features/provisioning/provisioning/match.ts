import { isSameIdentifier } from '../../../platform/identifier.ts'
import { isOfDomain, parseVouchedEmail } from '../../../platform/mail/address.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import { ownsDomainOf } from '../../directory/domains/domains.ts'
import {
  NO_MATCH,
  type ProvisionedMatch,
  type SaidNames,
} from '../../federation/federation/provisioned-users/provisioned-users.ts'
import { findMatchRows, lockNames, type MatchRow } from './match-store.ts'

type Refusal = NonNullable<ProvisionedMatch['refusal']>

const AMBIGUOUS = 'What the provider says of the person matches several users of the directory, so it matches none.'
const OTHER_USER =
  'The person matches a user that the provisioning client manages, but the identity is linked to another user, which no client manages. Remove the identity from that user.'
const OTHER_ID =
  'A provisioned user has this name or address, but a different externalId than the claim or attribute in `scim_match`.'
const DEPROVISIONED = 'The provisioning client has deactivated or deleted this user.'
const NOT_SPOKEN_FOR =
  'A provisioned user matches, but the domain of the user’s address is not verified by the organization or not listed in the `domains` of the connection.'

const notFound: ProvisionedMatch = { isProvisioning: true, userId: null, isProved: false, refusal: null }
const refused = (code: Refusal['code'], detail: string): ProvisionedMatch => ({
  ...notFound,
  refusal: { code, detail },
})

/**
 * Finds the provisioned user of a person at an identity provider: by externalId, else userName, else any address. A
 * value that matches several users matches none. If the client has deleted the user, the sign-in is refused, so that
 * the provider cannot open another user for the person, even while provisioning is off.
 *
 * The provider controls every value, so each match has the conditions of a match by address: the user's address must
 * be in a verified domain, and in one of `domains`. Only the linked connection may match by externalId without a
 * verified domain, because both come from the same directory.
 */
export async function matchProvisioned(work: Work, said: SaidNames): Promise<ProvisionedMatch> {
  const { enabled, linkedId, rows } = await findMatchRows(work.db, work.directory, said)
  const isLinked = linkedId === said.connectionId
  if (!enabled) return isDeprovisioned(rows, said, isLinked) ? refused('user_inactive', DEPROVISIONED) : NO_MATCH
  const decided = decide(rows, said, isLinked)
  if (decided === null) return notFound
  if ('refusal' in decided) return decided
  return vouch(work, decided, { domains: said.domains, isTrusted: isLinked && decided.level === 'external_id' })
}

/**
 * Refuses a sign-in to a user that no client manages if the client manages another user of the same person, because
 * deprovisioning would not reach the first user. Only for the linked connection. Returns the refusal, or null.
 */
export async function refuseOtherUser(work: Work, said: SaidNames, userId: string): Promise<Refusal | null> {
  const { enabled, linkedId, rows } = await findMatchRows(work.db, work.directory, said)
  if (!enabled || linkedId !== said.connectionId) return null
  const isOfClient = (row: MatchRow) => row.is_provisioned || (row.is_gone && row.deleted_by_client)
  const known = rows.filter((row) => row.user_id === userId || (isOfClient(row) && !hasOtherId(row, said)))
  const decided = decide(known, said, true)
  if (decided === null || 'refusal' in decided) return decided?.refusal ?? null
  if (decided.user_id === userId) return null
  const { refusal } = await vouch(work, decided, { domains: said.domains, isTrusted: decided.level === 'external_id' })
  if (refusal) return null
  return decided.active
    ? { code: 'account_not_linked', detail: OTHER_USER }
    : { code: 'user_inactive', detail: DEPROVISIONED }
}

/** Returns the user at the first level with a match, a refusal, or null. */
function decide(rows: MatchRow[], said: SaidNames, isLinked: boolean): MatchRow | ProvisionedMatch | null {
  const counted = rows.flatMap((row) => countedRow(row, said, isLinked) ?? [])
  const levels = Map.groupBy(counted, levelOf)
  let otherwise: ProvisionedMatch | null = null
  for (const level of LEVELS) {
    const [user, ...others] = prefer(levels.get(level) ?? [])
    if (!user) continue
    if (others.length > 0 || contradicts(level, user, { levels, said })) return refused('account_not_linked', AMBIGUOUS)
    if (isLinked && hasOtherId(user, said)) return refused('account_not_linked', OTHER_ID)
    if (!user.is_gone) return user
    otherwise = refused('user_inactive', DEPROVISIONED)
    // A name or an address may have a new owner, but the same externalId means the same person.
    if (level === 'external_id') break
  }
  return otherwise
}

/** For use while provisioning is off: whether the client had deactivated or deleted the person's user. */
function isDeprovisioned(rows: MatchRow[], said: SaidNames, isLinked: boolean): boolean {
  // A user deleted through the API no longer belongs to the client.
  const known = rows.filter((row) => !row.is_gone || row.deleted_by_client)
  const decided = decide(known, said, isLinked)
  if (decided === null) return false
  return 'refusal' in decided ? decided.refusal?.code === 'user_inactive' : decided.is_provisioned && !decided.active
}

/**
 * Whether directory and provider have different externalIds for the user, by the claim in `scim_match`. Then they mean
 * two people.
 */
function hasOtherId({ is_provisioned, external_id }: MatchRow, { isClaimNamed, externalIds }: SaidNames): boolean {
  const isSaid = isClaimNamed && externalIds.length > 0
  return isSaid && is_provisioned && external_id !== null && !externalIds.includes(external_id)
}

/**
 * Returns the row if its value counts at this connection, or null. For the linked connection every value counts. For
 * another connection these count: an address that it may speak for, also as a userName, and the externalId if
 * `scim_match` names its claim and the address is the user's. No name counts if the provider says that the address is
 * not verified. A name that people may choose themselves counts only together with a stated address of the same user,
 * because the person could leave out the address by changing the scope in the authorization URL. The name of a
 * deprovisioned user then counts like a deleted user's name, and opens nothing.
 */
function countedRow(row: MatchRow, said: SaidNames, isLinked: boolean): MatchRow | null {
  const { emailNorm, statedNorm, isDenied, isClaimNamed, userNames, principalNames } = said
  if (row.level === 'subject') return row.is_gone ? row : null
  if (row.level === 'external_id') return isLinked || (isClaimNamed && hasAddress(row, emailNorm)) ? row : null
  if (row.level !== 'user_name') return hasAddress(row, emailNorm) ? row : null
  const isNamed = (name: string) => row.user_name !== null && isSameIdentifier(row.user_name, name)
  if (emailNorm !== null && isNamed(emailNorm)) return row
  if (!isLinked || isDenied || !userNames.some(isNamed)) return null
  if (principalNames.some(isNamed) || hasAddress(row, statedNorm)) return row
  return row.is_gone || !row.active ? { ...row, is_provisioned: false, is_gone: true } : null
}

/** Whether an address, in the form for comparison, is one of the user's addresses or the userName. */
function hasAddress({ email_norm, user_name, emails }: MatchRow, norm: string | null): boolean {
  if (norm === null) return false
  const others = [...(user_name === null ? [] : [user_name]), ...emails]
  return email_norm === norm || others.some((value) => parseVouchedEmail(value)?.norm === norm)
}

// The subject of a deleted user comes last, because the client may have added the person again as another user.
const LEVELS = ['external_id', 'user_name', 'address', 'secondary_address', 'unproved_address', 'subject'] as const
type Level = (typeof LEVELS)[number]

/** The owner of a main address comes before others. A sign-up that has not proved the address comes last. */
function levelOf({ level, is_provisioned, is_unproved }: MatchRow): Level {
  return level === 'address' && is_unproved && !is_provisioned ? 'unproved_address' : level
}

/** Prefers the client's users, then other users, then users that the client has deleted. Removes duplicates. */
function prefer(rows: MatchRow[]): MatchRow[] {
  const each = [...new Map(rows.map((row) => [row.user_id, row])).values()]
  const ranks = [each.filter((row) => row.is_provisioned), each.filter((row) => !row.is_gone), each]
  return ranks.find((some) => some.length > 0) ?? []
}

/**
 * Whether the userName belongs to one user and the address to another as main address. If administrators assign the
 * name, or the name is the address itself, only another user of the client is a contradiction.
 */
function contradicts(
  level: Level,
  user: MatchRow,
  { levels, said: { emailNorm, principalNames } }: { levels: Map<Level, MatchRow[]>; said: SaidNames },
): boolean {
  const isSaidName = (name: string) => isSameIdentifier(user.user_name ?? '', name)
  const isCertain = [...principalNames, emailNorm ?? ''].some(isSaidName)
  const owners = level === 'user_name' ? (levels.get('address') ?? []) : []
  return owners.some((one) => one.user_id !== user.user_id && (one.is_provisioned || (!isCertain && !one.is_gone)))
}

async function vouch(
  work: Work,
  { user_id: userId, email_norm }: MatchRow,
  { domains, isTrusted }: { domains: readonly string[]; isTrusted: boolean },
): Promise<ProvisionedMatch> {
  const isProved = await ownsDomainOf(work, email_norm)
  const isNamed = domains.length === 0 || isOfDomain(email_norm, domains)
  if (!isNamed || !(isProved || isTrusted)) return refused('domain_not_verified', NOT_SPOKEN_FOR)
  return { ...notFound, userId, isProved }
}

/** Locks a person's names until the transaction ends, so that requests that add the same person wait for each other. */
export async function lockIntroduction(work: TxWork, said: Pick<SaidNames, 'externalIds' | 'userNames' | 'emailNorm'>) {
  const { externalIds, userNames, emailNorm } = said
  const names = [...externalIds, ...userNames, ...(emailNorm === null ? [] : [emailNorm])]
  await lockNames(work.db, work.directory, [...new Set(names.map((name) => name.toLowerCase()))].toSorted())
}
