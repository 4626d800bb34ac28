import type { Platform } from '../platform.ts'

/** The URL of a route of this service, for identity providers. Built only from the configured base URL. */
export function publicUrl({ config }: Pick<Platform, 'config'>, path: `/v1/${string}`): string {
  // Base URL: builds the callback URLs that are registered at providers.
  return `${config.baseUrl}/api${path}`
}

/** The path of the service at its public address, below which a proxy may publish it; empty at the root of the host. */
export function rootPathOf({ config }: Pick<Platform, 'config'>): string {
  // Base URL: pages load their files below its path.
  return new URL(config.baseUrl).pathname.replace(/\/$/, '')
}
