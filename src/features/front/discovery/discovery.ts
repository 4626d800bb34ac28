import type { Identity } from '../../../platform/crypto/identity.ts'
import { ApiError } from '../../../platform/errors.ts'
import { inTxUnlessConsumed } from '../../../platform/joined/unless-consumed.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import { askGates, doorSettings, loginErrors, readFacts, type SignInFacts } from '../../access/login/login.ts'
import { findOrganizationOfDomain } from '../../directory/domains/domains.ts'
import { discoverConnection } from '../../federation/sso/sso.ts'
import { grantCode } from '../../sign-in/otp/sign-in-codes/sign-in-codes.ts'
import { type DiscoveryMethod, discoveryMethods, isOffered } from './methods.ts'
import { discoverySettings } from './settings.ts'
import { type FoundRow, selectOrganizationsOf } from './store.ts'
import { type Discovered, sealToken } from './token.ts'

/** An organization that somebody may enter. */
export interface Found extends Pick<FoundRow, 'name' | 'slug' | 'state'> {
  subOrgId: string
  /** What will be asked of them besides. */
  requires: 'sso' | 'mfa' | null
  /** Where `sso`: the connection to start, if one speaks for the address. */
  connectionId: string | null
}

// As long as a code that is sent out of band (ASVS 6.5.5).
export const TTL_SECONDS = 600
const MAX_FOUND = 100

/** What is told to whoever has proved a mailbox. */
export interface Discovery {
  token: string
  expiresAt: Date
  organizations: Found[]
}

/** A proof of a mailbox. */
export interface MailboxProof {
  who: Identity
  method: DiscoveryMethod
  /** Burns it. Returns false when it was consumed already. */
  spend(work: TxWork): Promise<boolean>
}

/**
 * Exchanges a proof for what there is for its mailbox, and for a token by which one of these is entered. `work` is of the
 * environment. Returns null when the proof was already consumed.
 */
export async function discover(work: Work, { who, method, spend }: MailboxProof): Promise<Discovery | null> {
  const found = await findOrganizations(work, who, method)
  const { discovery_create_organizations: mayCreate } = await discoverySettings.effective(work)
  const granted = await inTxUnlessConsumed(work, async (work) => {
    if (!(await spend(work))) return null
    const directories = found.map(({ directory }) => directory)
    // By that of the account level an organization is made.
    const places = mayCreate ? [...directories, work.directory] : directories
    return grantCode(
      work,
      places.map((directory) => ({ directory, identity: who.hash })),
      TTL_SECONDS,
    )
  })
  if (!granted) return null
  return toDiscovered(work, { ...granted, email: who.address.email, method }, found)
}

/** The token of what was granted, with the organizations that it opens. */
export async function toDiscovered(work: Work, said: Discovered, found: { shown: Found }[]): Promise<Discovery> {
  const token = await sealToken(work.platform, work.directory, said)
  // Process clock: tells the caller when the token expires. The database judges its expiry.
  const expiresAt = new Date(work.platform.clock.now().getTime() + TTL_SECONDS * 1000)
  return { token, expiresAt, organizations: found.map(({ shown }) => shown) }
}

async function findOrganizations(work: Work, who: Identity, method: DiscoveryMethod) {
  const { db, directory } = work
  const { norm } = who.address
  const [theirs, owner] = await Promise.all([
    selectOrganizationsOf(db, directory, norm, MAX_FOUND),
    findOrganizationOfDomain(db, directory, norm),
  ])
  const isTheirs = theirs.some(({ directory_id }) => directory_id === owner?.directory_id)
  const rows: FoundRow[] = owner && !isTheirs ? [...theirs, { ...owner, state: 'joinable' }] : theirs
  return (await Promise.all(rows.map((row) => look(work, { who, method, row })))).flatMap((found) => found ?? [])
}

/** What the door of an organization would ask; null where it would not open by the method. */
async function look(work: Work, { who, method, row }: { who: Identity; method: DiscoveryMethod; row: FoundRow }) {
  const directory = await findDirectory(work.platform, row.directory_id)
  if (!directory) return null
  const inside = { ...work, directory }
  const { door, person } = await readFacts(inside, who)
  // Who is no user may be one who was deactivated, or has gone.
  if (!person && row.state !== 'joinable') return null
  if (person && !person.active) return null
  if ((!person || person.pending) && !(await doorSettings.effective(inside)).allow_sign_up) return null
  const proof = { method: discoveryMethods[method].id, amr: ['otp'], aal: 'aal1' }
  const requires = await requirementOf(inside, proof, person ?? { ...STRANGER, ...door, email: who.address.email })
  if (requires !== 'sso' && !(await isOffered(inside, method))) return null
  const connectionId = requires === 'sso' ? await connectionOf(inside, who) : null
  const { organization_id: subOrgId, name, slug, state } = row
  return { directory, shown: { subOrgId, name, slug, state, requires, connectionId } satisfies Found }
}

/** What the door knows of somebody who is about to be made. */
const STRANGER = {
  user_id: '',
  locale: null,
  auth_account_id: null,
  email_verified: true,
  active: true,
  access_locked: false,
  pending: false,
  role: 'member',
  held_roles: null,
  epoch: 0,
  mfa_enrolled: false,
  passkey_count: 0,
  sessions_at_most: 0,
  organization_slug: null,
  organization_epoch: 0,
}

/** What the gates of an organization would ask for beside a proof. */
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

/** Runs a sign-in. A refusal that requires single sign-on names the connection to start. */
export async function orSso<T>(work: Work, who: Identity, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw isSsoRequired(error) ? ssoRequired(await connectionOf(work, who)) : error
  }
}

/** Whether a gate has refused every way but single sign-on. */
const isSsoRequired = (error: unknown) =>
  error instanceof ApiError && error.definition.code === loginErrors.ssoRequired.code

/** The refusal of every way but single sign-on, with the connection to start, if one speaks for the address. */
export const ssoRequired = (connectionId: string | null) =>
  loginErrors.ssoRequired(connectionId === null ? {} : { extra: { connection_id: connectionId } })

/** The connection that speaks for somebody's address, if there is one. */
export async function connectionOf(work: Work, who: Identity): Promise<string | null> {
  return (await discoverConnection(work, who.address.email)).connectionId
}
