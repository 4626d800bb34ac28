import type { Platform } from '../platform.ts'

/** The URL of a route of this service, for providers. It is built only from the configured base URL. */
export function publicUrl({ config }: Pick<Platform, 'config'>, path: `/v1/${string}`): string {
  // Base URL: builds the callback addresses that providers know.
  return `${config.baseUrl}/api${path}`
}
