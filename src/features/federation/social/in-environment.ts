import type { UsedProof } from '../../../platform/joined/proofs.ts'
import { accountDirectory } from '../../../platform/tenancy/directory.ts'
import { isServiceEnabled, requireService } from '../../../platform/tenancy/services.ts'
import type { Work } from '../../../platform/work.ts'
import type { SessionReply } from '../../access/login/login.ts'
import { enterFederated } from '../federation/complete/complete.ts'
import type { DiscoveredPerson } from '../federation/discovered/discovered.ts'
import { socialErrors } from './errors.ts'
import { findApplication } from './providers.ts'
import { rulesOf } from './rules.ts'

/**
 * Whether a person who signed in without naming an organization may enter this one. Returns `differs` if the
 * organization has its own application, or allows another Microsoft tenant: the provider may use another subject for
 * that application, or refuse the person there.
 */
export async function accessOf(work: Work, said: DiscoveredPerson): Promise<'open' | 'differs' | 'off'> {
  if (!(await isServiceEnabled(work, 'social'))) return 'off'
  const { enabled, application } = await findApplication(work, said.source)
  if (!enabled || !application) return 'off'
  const isSame =
    application.clientId === said.clientId && (application.tenant ?? 'common') === (said.tenant ?? 'common')
  return isSame ? 'open' : 'differs'
}

/**
 * Throws `service_disabled`, `provider_disabled` if the provider is off in the organization or has been turned off in
 * the defaults, and `social_start_required` if the organization uses another application.
 */
export async function assertAccess(work: Work, said: DiscoveredPerson): Promise<void> {
  const defaults = { ...work, directory: await accountDirectory(work.platform, work.directory) }
  await requireService(work, 'social')
  await requireService(defaults, 'social')
  const access = await accessOf(work, said)
  if (access === 'off' || (await accessOf(defaults, said)) === 'off') throw socialErrors.providerDisabled()
  if (access === 'differs') throw socialErrors.ownApplication()
}

/**
 * Signs the person in to the organization that they have chosen, as a sign-in there would. Returns null if the person
 * may not sign in there, or if a proof in `spends` was already used. Throws `signup_disabled`, and what
 * `completeLogin` throws.
 */
export async function enterSocial(
  work: Work,
  said: DiscoveredPerson,
  spends: UsedProof[],
): Promise<SessionReply | null> {
  const { source, openSignup, ...person } = said
  const rules = await rulesOf(work, source, openSignup)
  return enterFederated(work, { source, person: { ...person, amr: [], isTwoFactor: false }, rules, spends })
}
