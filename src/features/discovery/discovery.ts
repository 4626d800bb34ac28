import { type Identity, identify } from '../../platform/crypto/identity.ts'
import { ApiError } from '../../platform/errors.ts'
import { findDirectory } from '../../platform/http/directory.ts'
import { requireEmail } from '../../platform/mail/address.ts'
import { burn } from '../../platform/proofs.ts'
import { isServiceEnabled } from '../../platform/services.ts'
import { inTxUnlessConsumed } from '../../platform/unless-consumed.ts'
import type { Work } from '../../platform/work.ts'
import { ownsDomainOf } from '../domains/domains.ts'
import {
  askGates,
  assertMaySignIn,
  completeMailboxLogin,
  doorSettings,
  loginErrors,
  readFacts,
  type SessionReply,
  type SignInFacts,
} from '../login/login.ts'
import {
  grantCode,
  mailCode,
  mailedCodeSettings,
  otpMethod,
  proveGranted,
  proveOwnCode,
  type SentCode,
  signInCodeErrors,
} from '../otp/otp.ts'
import { signUpByCode } from '../signup/signup.ts'
import { discoverConnection } from '../sso/sso.ts'
import { discoveryErrors } from './errors.ts'
import { type FoundRow, findOrganizationOfDomain, selectOrganizationsOf } from './store.ts'
import { openToken, sealToken } from './token.ts'

/** Mails a code to an address, whoever has it: there is nothing that the answer could tell. Throws as `mailCode`. */
export async function sendDiscoveryCode(work: Work, email: string): Promise<SentCode> {
  return mailCode(work, { purpose: 'discovery', who: identify(work.platform, requireEmail(email)), userId: null })
}

/** An organization that somebody may enter. */
export interface Found extends Pick<FoundRow, 'name' | 'slug' | 'state'> {
  subOrgId: string
  /** What will be asked of them besides. */
  requires: 'sso' | 'mfa' | null
  /** Where `sso`: the connection to start, if one speaks for the address. */
  connectionId: string | null
}

// As long as a code that is sent out of band (ASVS 6.5.5).
const TTL_SECONDS = 600
const MAX_FOUND = 100

/**
 * Exchanges the code for what there is for a mailbox, and for a token by which one of these is entered. `work` is of the
 * environment. Throws `otp_invalid`, `otp_expired`, `otp_too_many_attempts`.
 */
export async function discover(work: Work, sent: { email: string; otpId: string; code: string }) {
  const who = identify(work.platform, requireEmail(sent.email))
  const proof = await proveOwnCode(work, who, { ...sent, purpose: 'discovery', userId: null })
  const found = await findOrganizations(work, who)
  const granted = await inTxUnlessConsumed(work, async (work) => {
    if (!(await burn(work, proof))) return null
    const directories = found.map(({ directory }) => directory)
    return grantCode(work, directories, { identity: who.hash, ttlSeconds: TTL_SECONDS })
  })
  // Another request with the same right code was faster.
  if (!granted) throw signInCodeErrors.otpInvalid()
  const token = await sealToken(work.platform, work.directory, { ...granted, email: who.address.email })
  const expiresAt = new Date(work.platform.clock.now().getTime() + TTL_SECONDS * 1000)
  return { token, expiresAt, organizations: found.map(({ shown }) => shown) }
}

async function findOrganizations(work: Work, who: Identity) {
  const { db, directory } = work
  const { norm } = who.address
  const [theirs, joinable] = await Promise.all([
    selectOrganizationsOf(db, directory, norm, MAX_FOUND),
    findOrganizationOfDomain(db, directory, norm.slice(norm.lastIndexOf('@') + 1)),
  ])
  const isTheirs = theirs.some(({ directory_id }) => directory_id === joinable?.directory_id)
  const rows = joinable && !isTheirs ? [...theirs, joinable] : theirs
  return (await Promise.all(rows.map((row) => look(work, who, row)))).flatMap((found) => found ?? [])
}

/** What the door of an organization would ask; null where it would not open by a code. */
async function look(work: Work, who: Identity, row: FoundRow) {
  const directory = await findDirectory(work.platform, row.directory_id)
  if (!directory) return null
  const inside = { ...work, directory }
  const { door, person } = await readFacts(inside, who)
  // Who is no user may be one who was deactivated, or has gone.
  if (!person && row.state !== 'joinable') return null
  if (person && !person.active) return null
  if ((!person || person.pending) && !(await doorSettings.effective(inside)).allow_sign_up) return null
  const requires = await requirementOf(inside, person ?? { ...STRANGER, ...door, email: who.address.email })
  if (requires !== 'sso' && !(await takesCodes(inside))) return null
  const connectionId = requires === 'sso' ? await connectionOf(inside, who) : null
  const { organization_id: subOrgId, name, slug, state } = row
  return { directory, shown: { subOrgId, name, slug, state, requires, connectionId } satisfies Found }
}

/** What the door knows of somebody who is about to be made. */
const STRANGER = {
  user_id: '',
  auth_account_id: null,
  email_verified: true,
  active: true,
  pending: false,
  role: 'member',
  held_roles: null,
  sso_role_names: null,
  epoch: 0,
  mfa_enrolled: false,
  passkey_count: 0,
  sessions_at_most: 0,
  organization_slug: null,
  organization_epoch: 0,
}

async function requirementOf(work: Work, facts: SignInFacts): Promise<Found['requires']> {
  const entry = { facts, method: otpMethod.id, amr: ['otp'], aal: 'aal1', session: null, isTentative: true }
  try {
    return (await askGates(work, entry, null)).kind === 'pass' ? null : 'mfa'
  } catch (error) {
    if (isSsoRequired(error)) return 'sso'
    throw error
  }
}

const isSsoRequired = (error: unknown) =>
  error instanceof ApiError && error.definition.code === loginErrors.ssoRequired.code

async function takesCodes(work: Work): Promise<boolean> {
  if (!(await isServiceEnabled(work, 'otp'))) return false
  return mailedCodeSettings(work).then(
    () => true,
    () => false,
  )
}

async function connectionOf(work: Work, who: Identity): Promise<string | null> {
  return (await discoverConnection(work, who.address.email)).connectionId
}

/**
 * Exchanges a token for the session in one of its organizations, by the one door; who may join becomes a user. Throws
 * `discovery_token_invalid`, `sso_required` with the connection to start, and what the door throws.
 */
export async function enter(work: Work, token: string): Promise<SessionReply> {
  await mailedCodeSettings(work)
  const said = await openToken(work.platform, work.directory, token)
  if (!said) throw discoveryErrors.tokenInvalid()
  const who = identify(work.platform, requireEmail(said.email))
  const proved = await proveGranted(work, who, said)
  if (!proved) throw discoveryErrors.tokenInvalid()
  try {
    const answer = await admit(work, who, proved)
    if (answer) return answer
  } catch (error) {
    const connectionId = isSsoRequired(error) ? await connectionOf(work, who) : null
    throw connectionId === null ? error : loginErrors.ssoRequired({ extra: { connection_id: connectionId } })
  }
  throw discoveryErrors.tokenInvalid()
}

type Proved = NonNullable<Awaited<ReturnType<typeof proveGranted>>>

async function admit(work: Work, who: Identity, { facts, spends }: Proved): Promise<SessionReply | null> {
  if (facts) {
    await assertMaySignIn(work, facts)
    return completeMailboxLogin(work, facts, { method: otpMethod, amr: ['otp'], spends })
  }
  // Nobody has the address any more, or the domain is lost: whoever may come in now is told so by a new beginning.
  return (await ownsDomainOf(work, who.address.norm)) ? signUpByCode(work, who, spends) : null
}
