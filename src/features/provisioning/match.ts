import { isOfDomain } from '../../platform/mail/address.ts'
import type { TxWork, Work } from '../../platform/work.ts'
import { ownsDomainOf } from '../domains/domains.ts'
import { findMatchRows, holdNames, type MatchRow } from './match-store.ts'

/** How an identity provider names a person who signs in for the first time. */
interface Said {
  connectionId: string
  externalIds: readonly string[]
  isClaimNamed: boolean
  userNames: readonly string[]
  emailNorm: string | null
  domains: readonly string[]
}

interface Refusal {
  code: 'account_not_linked' | 'domain_not_verified' | 'user_inactive'
  detail: string
}

interface Match {
  isProvisioning: boolean
  userId: string | null
  isProved: boolean
  refusal: Refusal | null
}

const AMBIGUOUS = 'What the provider says of the person matches several users of the directory, so it matches none.'
const DELETED = 'The provisioning client has deleted this user.'
const NOT_SPOKEN_FOR =
  'A provisioned user matches, but their address is of a domain that the organization has not verified, or that the ' +
  'connection does not name in `domains`.'

const notFound: Match = { isProvisioning: true, userId: null, isProved: false, refusal: null }
const refused = (code: Refusal['code'], detail: string): Match => ({ ...notFound, refusal: { code, detail } })

/**
 * Finds the provisioned user of a person at an identity provider: by externalId, else userName, else any address. A value
 * that several users have matches none. A user that the client has deleted is refused, so that the provider opens no other
 * user for the person.
 *
 * The provider controls every value, so each match needs what a match by address needs: the address of the user is of a
 * verified domain, and of `domains`. Only the connection that provisioning is linked to may match by externalId without a
 * verified domain: both come from the same directory. While another connection is linked, the values of this one are
 * numbers of another directory, unless `scim_match` says otherwise.
 */
export async function matchProvisioned(work: Work, said: Said): Promise<Match> {
  const { enabled, linkedId, rows } = await findMatchRows(work.db, work.directory, said)
  if (!enabled) return { isProvisioning: false, userId: null, isProved: true, refusal: null }
  const isLinked = linkedId === said.connectionId
  const usesExternalId = isLinked || linkedId === null || said.isClaimNamed
  const levels = Map.groupBy(rows, levelOf)
  let otherwise = notFound
  for (const level of LEVELS) {
    const found = level === 'external_id' && !usesExternalId ? [] : (levels.get(level) ?? [])
    const [user, ...others] = prefer(found)
    if (!user) continue
    if (others.length > 0 || contradicts(level, user, levels)) return refused('account_not_linked', AMBIGUOUS)
    if (!user.is_gone)
      return vouch(work, user, { domains: said.domains, isTrusted: isLinked && level === 'external_id' })
    otherwise = refused('user_inactive', DELETED)
    // A name or an address may have a new owner; an externalId says that it is the same person.
    if (level === 'external_id') break
  }
  return otherwise
}

const LEVELS = ['external_id', 'user_name', 'address', 'secondary_address', 'address_of_other'] as const
type Level = (typeof LEVELS)[number]

/** Users of the client come first, by whichever address: it can deactivate no others. */
function levelOf({ level, is_provisioned, is_gone }: MatchRow): Level {
  return level === 'address' && !is_provisioned && !is_gone ? 'address_of_other' : level
}

/** Users of the client, else other users, else users that the client has deleted; each once. */
function prefer(rows: MatchRow[]): MatchRow[] {
  const each = [...new Map(rows.map((row) => [row.user_id, row])).values()]
  const ranks = [each.filter((row) => row.is_provisioned), each.filter((row) => !row.is_gone), each]
  return ranks.find((some) => some.length > 0) ?? []
}

/** The userName of one user and the address of another: people can often choose the name of a colleague. */
function contradicts(level: Level, user: MatchRow, levels: Map<Level, MatchRow[]>): boolean {
  const owners = level === 'user_name' ? (levels.get('address') ?? []) : []
  return owners.some((owner) => owner.is_provisioned && owner.user_id !== user.user_id)
}

async function vouch(
  work: Work,
  { user_id: userId, email_norm }: MatchRow,
  { domains, isTrusted }: { domains: readonly string[]; isTrusted: boolean },
): Promise<Match> {
  const isProved = await ownsDomainOf(work, email_norm)
  const isNamed = domains.length === 0 || isOfDomain(email_norm, domains)
  if (!isNamed || !(isProved || isTrusted)) return refused('domain_not_verified', NOT_SPOKEN_FOR)
  return { ...notFound, userId, isProved }
}

/** Waits for others that introduce a person of one of these names, and makes them wait until the transaction ends. */
export async function holdIntroduction(work: TxWork, said: Pick<Said, 'externalIds' | 'userNames' | 'emailNorm'>) {
  const { externalIds, userNames, emailNorm } = said
  const names = [...externalIds, ...userNames, ...(emailNorm === null ? [] : [emailNorm])]
  await holdNames(work.db, work.directory, [...new Set(names.map((name) => name.toLowerCase()))].toSorted())
}
