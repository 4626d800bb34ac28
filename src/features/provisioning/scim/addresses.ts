import type { Platform } from '../../../platform/platform.ts'

/** The path below which all SCIM routes are. */
export const BASE = '/api/os/scim/v2'

/** The SCIM base URL for provisioning clients, built only from the configured base URL. */
export function endpointUrl({ config }: Pick<Platform, 'config'>): string {
  // Base URL: builds the URLs of SCIM resources.
  return `${config.baseUrl}${BASE}`
}
