import { httpErrors } from '../../../platform/errors.ts'
import { runTogether } from '../../../platform/joined/joined.ts'
import type { Work } from '../../../platform/work.ts'
import { asScimError, scimErrors } from './errors.ts'
import { type ProvisioningRow, readProvisioning } from './store.ts'
import { invalidToken } from './token.ts'

/** The organization's provisioning settings. */
export type Provisioning = Pick<ProvisioningRow, 'sso_connection_id' | 'on_deprovision'>

type Asking = Pick<Work, 'platform' | 'directory' | 'origin'>

/**
 * Checks whether a provisioning client is served now. Every SCIM route calls this first. Throws `scim_token_invalid`
 * if the token has ended meanwhile, `organization_suspended`, `scim_disabled`.
 */
export async function getProvisioning({ platform, directory, origin }: Asking): Promise<Provisioning> {
  const { actor } = origin
  const row = { token_id: actor.type === 'scim' ? actor.id : null }
  const found = await runTogether(platform, { statement: readProvisioning, directoryId: directory.id, row })
  if (found && !found.works) throw httpErrors.scimTokenInvalid(invalidToken)
  const status = found?.organization_status ?? 'archived'
  if (!found || status !== 'active')
    throw httpErrors.organizationSuspended({
      detail: `The organization is ${status}. Provisioning continues when the organization is active again.`,
      extra: { organization_status: status },
    })
  if (!found.enabled) throw scimErrors.disabled()
  return found
}

/** Serves a provisioning client if it may be served now. Errors of the SCIM language are converted to SCIM errors. */
export async function serve<W extends Asking, T>(work: W, run: (provisioning: Provisioning) => Promise<T>): Promise<T> {
  const provisioning = await getProvisioning(work)
  try {
    return await run(provisioning)
  } catch (error) {
    throw asScimError(error)
  }
}

/** Errors that every SCIM route may return because of this check. */
export const provisioningErrors = [httpErrors.organizationSuspended, scimErrors.disabled]
