import { perPlatform } from '../../../platform/platform.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import type { KnownConnection } from './known/known.ts'
import type { ConnectionCheck } from './schema.ts'
import { isProvisioningEnabled, lacksLink } from './store.ts'

/** Whether provisioning is enabled in a directory. It decides the default of `jit_provisioning`. */
export const provisioningSwitch = perPlatform((platform) =>
  platform.caches.define<boolean>('provisioning_enabled', (directoryId) =>
    isProvisioningEnabled(platform.db, directoryId),
  ),
)

/** When the transaction commits, makes every process read the switch again. */
export async function forgetProvisioning({ platform, directory, db }: TxWork): Promise<void> {
  await provisioningSwitch(platform).invalidate(db, directory.id)
}

/** Warns if there are several connections and provisioning is linked to none of them. */
export async function checkLink({ db, directory }: Work, isEnabled: boolean): Promise<ConnectionCheck[]> {
  if (!isEnabled || !(await lacksLink(db, directory))) return []
  const message =
    'Provisioning is linked to none of several connections, so each finds provisioned users by a verified address alone.'
  const fix = 'Set sso_connection_id of PATCH /v1/scim/config to the connection of the same directory.'
  return [{ id: 'provisioning_link', ok: true, message, fix }]
}

/** Warns if a connection creates users in addition to the provisioning client. */
export function checkJit({ jit_provisioning: jit }: KnownConnection, isEnabled: boolean): ConnectionCheck[] {
  if (!isEnabled || jit !== true) return []
  const message =
    'Provisioning is enabled, and the connection makes users that the provisioning client has not added: it cannot ' +
    'deactivate them.'
  const fix = 'Set jit_provisioning to null or false, unless the client provisions only a part of the people.'
  return [{ id: 'jit_provisioning', ok: true, message, fix }]
}
