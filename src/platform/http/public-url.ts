import type { Platform } from '../platform.ts'

/** The URL of a route of this service, for identity providers. Built only from the configured base URL. */
export function publicUrl({ config }: Pick<Platform, 'config'>, path: `/v1/${string}`): string {
  // Base URL: builds the callback URLs that are registered at providers.
  return `${config.baseUrl}/api${path}`
}
