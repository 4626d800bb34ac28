import { type Identity, identify } from '../../platform/crypto/identity.ts'
import { issuerOf } from '../../platform/crypto/signing-keys.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events.ts'
import { type AccountScope, newDirectory } from '../../platform/http/directory.ts'
import { count, idBytes, type RateState } from '../../platform/http/rate-limit.ts'
import { newId } from '../../platform/ids.ts'
import { requireEmail } from '../../platform/mail/address.ts'
import { burn, type UsedProof } from '../../platform/proofs.ts'
import { MAX_SLUG, slugOf } from '../../platform/slug.ts'
import { inTxUnlessConsumed } from '../../platform/unless-consumed.ts'
import type { Work } from '../../platform/work.ts'
import { loginErrors, type SessionReply } from '../login/login.ts'
import { createOrganization, organizationErrors } from '../organizations/organizations.ts'
import { proveGranted } from '../otp/otp.ts'
import { giveRoles } from '../roles/roles.ts'
import { signupMethod, startFirstSession } from '../signup/signup.ts'
import { createSignup } from '../users/users.ts'
import { discoveryErrors } from './errors.ts'
import { assertTaken } from './methods.ts'
import { discoverySettings } from './settings.ts'
import { openToken } from './token.ts'

const PER_MAILBOX = 10
const DAY_SECONDS = 86_400

/** What somebody wants to make. */
export interface Founding {
  token: string
  name: string
  /** Absent: one made of the name. */
  slug?: string
}

/** The session of somebody in the organization that they have made, or its challenge, and where that is. */
export interface Founded {
  answer: SessionReply
  rate: RateState
}

/**
 * Makes an organization of which whoever has proved a mailbox is the admin, and signs them in there. A refusal leaves the
 * token good for another try, of which there are five. Throws `signup_disabled`, `discovery_token_invalid`, `service_disabled`,
 * `method_disabled`, `rate_limited`, `slug_taken`, and what the door throws.
 */
export async function foundOrganization(
  work: Work,
  scope: AccountScope,
  { token, name, slug }: Founding,
): Promise<Founded> {
  const settings = await discoverySettings.effective(work)
  if (!settings.discovery_create_organizations)
    throw loginErrors.signupDisabled({ detail: 'discovery_create_organizations is off in the defaults.' })
  const said = await openToken(work.platform, work.directory, token)
  if (!said) throw discoveryErrors.tokenInvalid()
  await assertTaken(work, said.method)
  const who = identify(work.platform, requireEmail(said.email))
  const [proof] = (await proveGranted(work, who, said))?.spends ?? []
  if (!proof) throw discoveryErrors.tokenInvalid()
  const rate = await countFounding(work, who, settings.discovery_create_limit_per_day)
  // The first keys of an environment are written beside the transaction, which holds the environment.
  await issuerOf(work.platform, work.directory.environmentId)
  const found = (slug: string) => make(work, scope, { who, proof, name, slug })
  const made = await (slug === undefined ? withFreeSlug(slugOf(name, 'organization'), found) : found(slug))
  if (!made) throw discoveryErrors.tokenInvalid()
  return { ...made, rate }
}

/** One mailbox cannot use up what there is for all. Throws `rate_limited`. */
function countFounding({ platform, directory }: Work, who: Identity, perDay: number): Promise<RateState> {
  const limit = { directory, windowSeconds: DAY_SECONDS }
  return count(
    platform,
    [{ ...limit, bucket: 'discovery.create.mailbox', identity: who.hash, limit: PER_MAILBOX }],
    [{ ...limit, bucket: 'discovery.create', identity: idBytes(directory.id), limit: perDay }],
  )
}

/** Nobody chose the slug, so nobody is to choose another where it is taken. */
async function withFreeSlug<T>(slug: string, make: (slug: string) => Promise<T>): Promise<T> {
  try {
    return await make(slug)
  } catch (error) {
    const isTaken = error instanceof ApiError && error.definition.code === organizationErrors.slugTaken.code
    if (!isTaken) throw error
    const suffix = newId().slice(-6)
    return make(`${slug.slice(0, MAX_SLUG - 7).replace(/-$/, '')}-${suffix}`)
  }
}

interface Wanted {
  who: Identity
  proof: UsedProof
  name: string
  slug: string
}

/** Everything, or nothing: null when the proof was already consumed. */
function make(work: Work, scope: AccountScope, { who, proof, name, slug }: Wanted) {
  return inTxUnlessConsumed(work, async (work) => {
    if (!(await burn(work, proof))) return null
    const { id: subOrgId } = await createOrganization({ ...work, directory: scope }, { name, slug })
    const inside = { ...work, directory: await newDirectory(work.db, scope, subOrgId) }
    const made = await createSignup(inside, who.address, { email_verified: true })
    if (!made) throw new Error('A new organization has a user')
    await record(inside, made.created)
    await giveRoles(inside, 'manual', [{ user: { ...made.user, held: true }, role: 'admin' }])
    const proved = { method: signupMethod, amr: ['otp'], spends: [] }
    const answer = await startFirstSession(inside, { who, user: made.user, proof: proved })
    return answer && { answer: { ...answer, organization: { subOrgId, name, slug } } }
  })
}
