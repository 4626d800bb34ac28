import type { Identity } from '../../../platform/crypto/identity.ts'
import { ApiError } from '../../../platform/errors.ts'
import { inTxUnlessConsumed } from '../../../platform/joined/unless-consumed.ts'
import { type Directory, findDirectory } from '../../../platform/tenancy/directory.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import { askGates, doorSettings, loginErrors, readFacts, type SignInFacts } from '../../access/login/login.ts'
import { findOrganizationOfDomain } from '../../directory/domains/domains.ts'
import { connectionToStart } from '../../federation/sso/sso.ts'
import { type GrantedCode, grantCode } from '../../sign-in/otp/sign-in-codes/sign-in-codes.ts'
import { type DiscoveryMethod, discoveryMethods, isOffered } from './methods.ts'
import { discoverySettings } from './settings.ts'
import { type FoundRow, selectOrganizationsOf } from './store.ts'
import { type Discovered, sealToken } from './token.ts'

/** An organization that the person may enter. */
export interface Found extends Pick<FoundRow, 'name' | 'slug' | 'state'> {
  subOrgId: string
  /** What the sign-in will require in addition to the proof. */
  requires: 'sso' | 'mfa' | null
  /** If `requires` is `sso`: the connection to start, if one serves the address. */
  connectionId: string | null
}

// The lifetime of an out-of-band code (ASVS 6.5.5).
export const TTL_SECONDS = 600
export const MAX_FOUND = 100

/** The result for a person who has proved their mailbox. */
export interface Discovery {
  token: string
  expiresAt: Date
  organizations: Found[]
}

/** A proof of a mailbox that can be used once. */
export interface MailboxProof {
  who: Identity
  method: DiscoveryMethod
  /** Uses up the proof. Returns false if it was already used. */
  spend(work: TxWork): Promise<boolean>
}

/**
 * Exchanges a proof for the organizations of its mailbox, and a token to enter one of them. `work` is in the
 * environment's account-level directory. Returns null if the proof was already used.
 */
export async function discover(work: Work, { who, method, spend }: MailboxProof): Promise<Discovery | null> {
  const found = await findOrganizations(work, who, byMailbox(method))
  const granted = await grantCodes(work, { found, who, spend })
  return granted && toDiscovered(work, { ...granted, email: who.address.email, method }, found)
}

/**
 * Uses up a proof, and creates a code for each of the organizations. If the mailbox may create an organization, also
 * creates a code for the environment.
 */
export async function grantCodes(
  work: Work,
  { found, who, spend }: Pick<MailboxProof, 'spend'> & { found: Opened[]; who: Identity | null },
): Promise<GrantedCode | null> {
  const { discovery_create_organizations: mayCreate } = await discoverySettings.effective(work)
  return inTxUnlessConsumed(work, async (work) => {
    if (!(await spend(work))) return null
    const founding = who && mayCreate ? [{ directory: work.directory, identity: who.hash }] : []
    return grantCode(work, [...found, ...founding], TTL_SECONDS)
  })
}

/** The token for the granted code, with the organizations that it can enter. */
export async function toDiscovered(work: Work, said: Discovered, found: { shown: Found }[]): Promise<Discovery> {
  const token = await sealToken(work.platform, work.directory, said)
  // Process clock: only tells the caller when the token expires. The database decides whether it has expired.
  const expiresAt = new Date(work.platform.clock.now().getTime() + TTL_SECONDS * 1000)
  return { token, expiresAt, organizations: found.map(({ shown }) => shown) }
}

/** An organization, and the user there that a proof may belong to. */
export interface Candidate {
  row: FoundRow
  who: Identity
  /** The only user that the proof may belong to. Absent: the user with the address. */
  userId?: string
}

/** How a proof signs a person in to organizations. */
export interface ProofRules {
  proof: { method: string; amr: string[]; aal: string }
  isOffered(inside: Work): Promise<boolean>
  /** Whether a person who is not a user yet may become one. */
  maySignUp(inside: Work): Promise<boolean>
}

/** An organization that the person can enter, and the address hash for its code. */
interface Opened {
  directory: Directory
  identity: Buffer
  shown: Found
}

const byMailbox = (method: DiscoveryMethod): ProofRules => ({
  proof: { method: discoveryMethods[method].id, amr: ['otp'], aal: 'aal1' },
  isOffered: (inside) => isOffered(inside, method),
  maySignUp: async () => true,
})

/** The organizations in `known`, followed by the other organizations of the mailbox. */
export async function findOrganizations(
  work: Work,
  who: Identity | null,
  way: ProofRules,
  known: Candidate[] = [],
): Promise<Opened[]> {
  const isKnown = new Set(known.map(({ row }) => row.directory_id))
  const ofMailbox = who ? await findCandidates(work, who) : []
  const candidates = [...known, ...ofMailbox.filter(({ row }) => !isKnown.has(row.directory_id))]
  return (await Promise.all(candidates.map((each) => look(work, each, way)))).flatMap((found) => found ?? [])
}

async function findCandidates(work: Work, who: Identity): Promise<Candidate[]> {
  const { db, directory } = work
  const { norm } = who.address
  const [theirs, owner] = await Promise.all([
    selectOrganizationsOf(db, directory, norm, MAX_FOUND),
    findOrganizationOfDomain(db, directory, norm),
  ])
  const isTheirs = theirs.some(({ directory_id }) => directory_id === owner?.directory_id)
  const rows: FoundRow[] = owner && !isTheirs ? [...theirs, { ...owner, state: 'joinable' }] : theirs
  return rows.map((row) => ({ row, who }))
}

/** What an organization would still require; null if the person cannot enter it this way. */
async function look(work: Work, { row, who, userId }: Candidate, way: ProofRules): Promise<Opened | null> {
  const directory = await findDirectory(work.platform, row.directory_id)
  if (!directory) return null
  const inside = { ...work, directory }
  const { door, person } = await readFacts(inside, who)
  // The address has no active user. The person may enter only if the domain lets them join.
  if (!person && row.state !== 'joinable') return null
  if (userId !== undefined && person?.user_id !== userId) return null
  if (person && !person.active) return null
  if ((!person || person.pending) && !(await doorSettings.effective(inside)).allow_sign_up) return null
  if (!person && !(await way.maySignUp(inside))) return null
  const requires = await requirementOf(inside, way.proof, person ?? { ...STRANGER, ...door, email: who.address.email })
  if (requires !== 'sso' && !(await way.isOffered(inside))) return null
  const connectionId = requires === 'sso' ? await connectionOf(inside, who) : null
  const { organization_id: subOrgId, name, slug, state } = row
  return { directory, identity: who.hash, shown: { subOrgId, name, slug, state, requires, connectionId } }
}

/** The sign-in facts of a user who does not exist yet. */
const STRANGER = {
  user_id: '',
  locale: null,
  auth_account_id: null,
  email_verified: true,
  active: true,
  access_locked: false,
  pending: false,
  invited: false,
  role: 'member',
  held_roles: null,
  epoch: 0,
  mfa_enrolled: false,
  passkey_count: 0,
  sessions_at_most: 0,
  organization_slug: null,
  organization_epoch: 0,
}

/** What the gates of an organization would require in addition to a proof. */
export async function requirementOf(
  work: Work,
  proof: { method: string; amr: string[]; aal: string },
  facts: SignInFacts,
): Promise<Found['requires']> {
  const entry = { ...proof, facts, session: null, isTentative: true }
  try {
    return (await askGates(work, entry, null)).kind === 'pass' ? null : 'mfa'
  } catch (error) {
    if (isSsoRequired(error)) return 'sso'
    throw error
  }
}

/** Whether a gate refuses every method except single sign-on. */
const isSsoRequired = (error: unknown) =>
  error instanceof ApiError && error.definition.code === loginErrors.ssoRequired.code

/** The connection for a person who has proved the address, if there is one. */
export async function connectionOf(work: Work, who: Identity): Promise<string | null> {
  return connectionToStart(work, who.address.norm)
}
