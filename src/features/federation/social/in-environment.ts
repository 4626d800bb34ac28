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
 * Whether a person who has signed in without an organization may enter this one: `differs` if it has an application of its
 * own, or admits another tenant of Microsoft. The provider would name the person to that application differently, and may
 * refuse them there.
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
 * Throws `service_disabled`, `provider_disabled` if the provider is off in the organization or by now in the defaults, and
 * `social_start_required` if the organization signs in by another application.
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
 * Signs such a person in to the organization that they have chosen, as a sign-in there would. Null where the person or what is
 * spent is not good any more. Throws `signup_disabled`, and what the door throws.
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
