import { perPlatform } from '../../platform/platform.ts'
import type { TxWork } from '../../platform/work.ts'
import type { KnownConnection } from './known.ts'
import type { ConnectionCheck } from './schema.ts'
import { isProvisioningEnabled } from './store.ts'

/** Whether provisioning is enabled in a directory, which decides what `jit_provisioning` is by default. */
export const provisioningSwitch = perPlatform((platform) =>
  platform.caches.define<boolean>('provisioning_enabled', (directoryId) =>
    isProvisioningEnabled(platform.db, directoryId),
  ),
)

/** Has every process read it again, once the transaction has committed. */
export async function forgetProvisioning({ platform, directory, db }: TxWork): Promise<void> {
  await provisioningSwitch(platform).invalidate(db, directory.id)
}

/** Warns where a connection makes users of its own beside those of the provisioning client. */
export function checkJit({ jit_provisioning: jit }: KnownConnection, isEnabled: boolean): ConnectionCheck[] {
  if (!isEnabled || jit !== true) return []
  const message =
    'Provisioning is enabled, and the connection makes users that the provisioning client has not added: it cannot ' +
    'deactivate them.'
  const fix = 'Set jit_provisioning to null or false, unless the client provisions only a part of the people.'
  return [{ id: 'jit_provisioning', ok: true, message, fix }]
}
