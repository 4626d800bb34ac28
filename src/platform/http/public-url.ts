import type { Platform } from '../platform.ts'

/** The address of a route of ours, for providers: built from the configured base URL alone. */
export function publicUrl({ config }: Pick<Platform, 'config'>, path: `/v1/${string}`): string {
  // Base URL: builds the callback addresses that providers know.
  return `${config.baseUrl}/api${path}`
}
