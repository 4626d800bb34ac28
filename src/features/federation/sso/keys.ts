import { toCertificate } from '../../../platform/crypto/shown-certificates.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { AccountWork } from '../../../platform/work.ts'
import { type SpKeys, spKeys } from '../connections/sp-keys/sp-keys.ts'

/** The certificates with which the environment acts as a service provider. */
export async function listKeys({ platform, account }: AccountWork) {
  return toKeys(platform, await spKeys(platform, account))
}

export function toKeys(platform: Platform, { signing, encryption }: SpKeys) {
  // Process clock: other parties compare the dates of a certificate with their own clocks.
  const now = platform.clock.now()
  const show = (use: 'signing' | 'encryption', keys: SpKeys['signing']) =>
    keys.map(({ certificatePem, status }) => ({ use, certificate: toCertificate(certificatePem, status, now) }))
  return [...show('signing', signing), ...show('encryption', encryption)]
}
