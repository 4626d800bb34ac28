import type { Platform } from '../../../platform/platform.ts'

/** Below which the protocol is spoken. */
export const BASE = '/api/os/scim/v2'

/** The base URL of the protocol, for provisioning clients: built from the configured base URL alone. */
export function endpointUrl({ config }: Pick<Platform, 'config'>): string {
  // Base URL: builds the addresses of SCIM resources.
  return `${config.baseUrl}${BASE}`
}
