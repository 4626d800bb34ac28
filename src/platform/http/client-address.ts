import type { FastifyRequest } from 'fastify'

/** The peer's address, with IPv4 in its own form however the socket writes it. */
export function clientAddress(request: FastifyRequest): string {
  return request.ip.replace(/^::ffff:(?=\d+\.)/i, '')
}
