import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Origin } from '../events/origin.ts'

/** The end user as a customer's backend states them. Used only after the backend's key was verified. */
export function statedEndUser({ headers }: FastifyRequest): Origin['endUser'] {
  const ip = headers['x-end-user-ip']
  const userAgent = headers['x-end-user-agent']
  const trustedDevice = headers['x-trusted-device']
  return {
    // A zone (RFC 4007 §11.2) may be any text, and mails show the address, so the zone is removed.
    ip: typeof ip === 'string' && isIP(ip) ? ip.replace(/%.*$/, '') : null,
    userAgent: typeof userAgent === 'string' ? userAgent.slice(0, 512) : null,
    trustedDevice: typeof trustedDevice === 'string' ? trustedDevice : null,
  }
}

/** The end user's own browser or device, when the request does not come through a customer's backend. */
export function seenEndUser(request: FastifyRequest, ip: string): Origin['endUser'] {
  return { ip, userAgent: request.headers['user-agent']?.slice(0, 512) ?? null }
}
