import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** The peer's address, with IPv4 in its usual form however the socket writes it. */
export function clientAddress(request: FastifyRequest): string {
  return request.ip.replace(/^::ffff:(?=\d+\.)/i, '')
}

/**
 * The network that one person's addresses share: an IPv4 address itself, the /64 of an IPv6 address. Every spelling of
 * an address gives the same result.
 */
export function networkOf(ip: string): string {
  const plain = ip.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIP(plain) !== 6) return plain
  // The URL parser writes an address in its shortest form, IPv4 in hexadecimal groups.
  const short = new URL(`http://[${plain}]`).hostname.slice(1, -1)
  const [head = '', tail = ''] = short.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === '' ? [] : tail.split(':')
  const middle = short.includes('::') ? Array.from({ length: 8 - front.length - back.length }, () => '0') : []
  const groups = [...front, ...middle, ...back]
  const isMappedIpv4 = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff'
  if (!isMappedIpv4) return `${groups.slice(0, 4).join(':')}::/64`
  return groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .map((pair) => `${pair >> 8}.${pair & 255}`)
    .join('.')
}

// What proxies add to requests.
const FORWARDED =
  /^(forwarded|via|cdn-loop|x-(forwarded|original|envoy|azure|amzn)-.+|x-(real|cluster-client)-ip|x-host|((x|true|fastly)-)?client-ip|cf-connecting-ip)$/

/** From this machine itself, and not by a name that foreign DNS points at it (DNS rebinding). */
export function isLocal(request: FastifyRequest): boolean {
  return (
    // A proxy on this machine forwards requests of others and may rewrite the host name. This also holds for a trusted
    // proxy, which may leave out the address of its client.
    !Object.keys(request.headers).some((name) => FORWARDED.test(name)) &&
    // nginx uses HTTP/1.0 towards its upstream by default. Browsers and curl do not.
    request.raw.httpVersion !== '1.0' &&
    /^(127\.|::1$)/.test(clientAddress(request)) &&
    /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(request.host)
  )
}
