import { SOCIAL_NAMES, type SocialName } from '../../../platform/config/config-social.ts'
import type { Redirect } from '../../../platform/http/answer.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import type { Work } from '../../../platform/work.ts'
import { assertDoorOpen, type SignInMethod } from '../../access/login/login.ts'
import { type BareWork, type Begun, beginFederated, takeFederated } from '../federation/begin/begin.ts'
import { codeOf, completeFederated } from '../federation/complete/complete.ts'
import { redirectWithPersonCode } from '../federation/discovered/discovered.ts'
import { assertArrivedAt, FederationFailure, failFederated, federationErrors } from '../federation/federation.ts'
import type { Application, SocialCallback, SocialContext } from './dialect.ts'
import { dialects } from './dialects.ts'
import { socialErrors } from './errors.ts'
import { findApplication, offeredProviders } from './providers.ts'
import { socialRedirectUri } from './redirect-uri.ts'
import { rulesOf, sectorOf } from './rules.ts'

export const socialMethod: SignInMethod = {
  id: 'social',
  offer: {
    label: 'Social login',
    service: 'social',
    isOn: async (work) => (await offeredProviders(work)).length > 0,
    providers: offeredProviders,
  },
}

/**
 * Begins a sign-in at a provider, in an organization or, with the defaults' settings, in the environment. Throws
 * `provider_disabled`, `provider_not_configured`, `invalid_redirect_uri`, `organization_suspended`,
 * `idp_unreachable`.
 */
export async function startSocial(
  work: Work,
  asked: { provider: SocialName } & Pick<Begun, 'redirectUri' | 'responseMode' | 'openSignup'>,
): Promise<{ authorization_url: string; state: string }> {
  const { provider, ...rest } = asked
  await assertDoorOpen(work, null)
  const { enabled, application, callback } = await findApplication(work, provider)
  if (!enabled) throw socialErrors.providerDisabled()
  if (!application) throw socialErrors.notConfigured()
  const begun = await beginFederated(work, { method: 'social', source: provider, ...rest })
  const context = contextOf(work, application, callback === 'provider' ? provider : null)
  try {
    return { authorization_url: await dialects[provider].start(context, begun), state: begun.state }
  } catch (error) {
    if (!(error instanceof FederationFailure)) throw error
    throw federationErrors.unreachable({ detail: error.detail })
  }
}

function contextOf({ platform, directory }: Work, application: Application, own: SocialName | null): SocialContext {
  return { platform, directoryId: directory.id, application, redirectUri: socialRedirectUri(platform, own) }
}

/**
 * Ends a sign-in with what the browser brings back from the provider. The state names the provider, and the browser
 * must have arrived at the redirect URI of the same provider (RFC 9700 §4.4.2). `arrivedAt` is the provider in the
 * URI, null for the shared URI. Throws `state_invalid`, and `invalid_redirect_uri` if the application's address is no
 * longer allowed.
 */
export async function finishSocial(
  bare: BareWork,
  callback: SocialCallback,
  arrivedAt: string | null,
): Promise<Redirect> {
  const taken = await takeFederated(bare, callback.state ?? '', 'social')
  if (!taken) throw federationErrors.stateUnknown()
  const { work, begun } = taken
  try {
    const { name, context } = await reopen(work, begun, arrivedAt)
    const { application } = context
    const person = await dialects[name].finish(context, begun, callback)
    const heard = { ...person, sector: sectorOf(name, application) }
    return work.directory.kind === 'account'
      ? await redirectWithPersonCode(work, begun, heard, {
          source: name,
          clientId: application.clientId,
          tenant: application.tenant,
        })
      : await completeFederated(work, begun, heard, await rulesOf(work, name, begun.openSignup))
  } catch (error) {
    const code = codeOf(error)
    if (code === null) throw error
    return failFederated(work, begun, code)
  }
}

/** Checks again what may have changed since the sign-in began. */
async function reopen(
  work: Work,
  { source }: Begun,
  arrivedAt: string | null,
): Promise<{ name: SocialName; context: SocialContext }> {
  const name = SOCIAL_NAMES.find((known) => known === source)
  if (!(await isServiceEnabled(work, 'social'))) throw new FederationFailure('service_disabled')
  const found = name && (await findApplication(work, name))
  if (!name || !found?.enabled || !found.application) throw new FederationFailure('provider_disabled')
  const own = found.callback === 'provider' ? name : null
  assertArrivedAt(arrivedAt, own)
  return { name, context: contextOf(work, found.application, own) }
}
