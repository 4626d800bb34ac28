import { type Identity, identify } from '../../../platform/crypto/identity.ts'
import { issuerOf } from '../../../platform/crypto/signing-keys.ts'
import { count, type RateState } from '../../../platform/limits/rate-limit.ts'
import { ofNetwork } from '../../../platform/limits/send-limit.ts'
import { requireEmail } from '../../../platform/mail/address.ts'
import { slugOf } from '../../../platform/slug.ts'
import { type AccountScope, findDirectory } from '../../../platform/tenancy/directory.ts'
import type { Work } from '../../../platform/work.ts'
import { loginErrors, type SessionReply } from '../../access/login/login.ts'
import { findOrganizationOfDomain } from '../../directory/domains/domains.ts'
import { accessOf, changeProvider, socialErrors } from '../../federation/social/social.ts'
import { discoverConnection, ssoRequired } from '../../federation/sso/sso.ts'
import { proveGranted } from '../../sign-in/otp/sign-in-codes/sign-in-codes.ts'
import { createWithAdmin } from '../../tenancy/organizations/organizations.ts'
import { vouchedIdentity } from './by-social.ts'
import { discoveryErrors } from './errors.ts'
import { assertOffered, assertServiceOn } from './methods.ts'
import { discoverySettings } from './settings.ts'
import { type Discovered, openToken } from './token.ts'

// How many organizations one mailbox or network may try to create in a day. Refused attempts count, too.
const PER_MAILBOX = 10
const PER_NETWORK = 30
const DAY_SECONDS = 86_400

/** The organization to create. */
export interface OrganizationRequest {
  token: string
  name: string
  /** Absent: a slug made from the name, possibly with a suffix. */
  slug?: string
}

/** The session, or the challenge, of the user in the new organization, and the state of the rate limit. */
export interface CreatedOrganization {
  answer: SessionReply
  rate: RateState
}

/**
 * Creates an organization, makes the owner of a proved mailbox its admin, and signs them in there. A token allows
 * five attempts; a refused attempt does not use it up. Throws `signup_disabled`, `discovery_token_invalid`,
 * `service_disabled`, `method_disabled`, `provider_disabled`, `rate_limited`, `sso_required` with the connection to
 * start, and what `completeLogin` throws.
 */
export async function createByToken(
  work: Work,
  scope: AccountScope,
  { token, name, slug = slugOf(name, 'organization') }: OrganizationRequest,
): Promise<CreatedOrganization> {
  const settings = await discoverySettings.effective(work)
  if (!settings.discovery_create_organizations)
    throw loginErrors.signupDisabled({ detail: 'The setting discovery_create_organizations is off in the defaults.' })
  const said = await openToken(work.platform, work.directory, token)
  const mailbox = said && (await mailboxOf(work, said))
  if (!said || !mailbox) throw discoveryErrors.tokenInvalid()
  const { who, amr } = mailbox
  const [proof] = (await proveGranted(work, who, said))?.spends ?? []
  if (!proof) throw discoveryErrors.tokenInvalid()
  const rate = await countTry(work, who)
  await assertNoSso(work, who)
  // Creates the environment's first signing keys now, over another connection: the transaction below locks the
  // environment.
  await issuerOf(work.platform, work.directory.environmentId)
  const perDay = settings.discovery_create_limit_per_day
  // A new organization has no social provider enabled. If the person's provider stayed disabled, the person could not
  // sign in again in the same way.
  const turnOn =
    said.method === 'social'
      ? (inside: Work) => changeProvider(inside, { provider: said.source, enabled: true })
      : undefined
  const made = await createWithAdmin(work, scope, { who, proof, amr, name, slug, perDay, turnOn })
  if (!made) throw discoveryErrors.tokenInvalid()
  return { answer: made, rate }
}

/**
 * The mailbox that a token proves, if the environment offers the token's sign-in method. A passkey proves no mailbox;
 * a social provider proves the address that it vouches for. Throws `service_disabled`, `method_disabled`,
 * `provider_disabled`.
 */
async function mailboxOf(work: Work, said: Discovered): Promise<{ who: Identity; amr: string[] } | null> {
  if (said.method === 'passkey') return null
  if (said.method === 'social') {
    await assertServiceOn(work, 'social')
    const access = await accessOf(work, said)
    if (access === 'off') throw socialErrors.providerDisabled()
    const who = access === 'open' ? vouchedIdentity(work, said) : null
    return who && { who, amr: ['fed'] }
  }
  await assertOffered(work, said.method)
  return { who: identify(work.platform, requireEmail(said.email)), amr: ['otp'] }
}

/** Counts an attempt, so that no mailbox or network can use up the daily limit of all. Throws `rate_limited`. */
function countTry(work: Work, who: Identity): Promise<RateState> {
  const { platform, directory } = work
  const limit = { directory, windowSeconds: DAY_SECONDS }
  const ofMailbox = { ...limit, bucket: 'discovery.create.mailbox', identity: who.hash, limit: PER_MAILBOX }
  const network = { bucket: 'discovery.create.network', windowSeconds: DAY_SECONDS, limit: PER_NETWORK }
  return count(platform, [ofMailbox, ...ofNetwork(work, network)], [])
}

/**
 * If the organization of the address's domain enforces single sign-on, its users may not create their own
 * organization by proving their mailbox. Throws `sso_required`.
 */
async function assertNoSso(work: Work, { address }: Identity): Promise<void> {
  const owner = await findOrganizationOfDomain(work.db, work.directory, address.norm)
  const directory = owner && (await findDirectory(work.platform, owner.directory_id))
  if (!directory) return
  const { enforced, connectionId } = await discoverConnection({ ...work, directory }, address.email)
  if (enforced) throw ssoRequired(connectionId)
}
