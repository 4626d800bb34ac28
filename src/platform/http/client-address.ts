import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** The peer's address. IPv4 addresses have their usual form, however the socket writes them. */
export function clientAddress(request: FastifyRequest): string {
  return request.ip.replace(/^::ffff:(?=\d+\.)/i, '')
}

/**
 * The network that one person's addresses share: the address itself for IPv4, and its /64 for IPv6. Every spelling of
 * an address gives the same result.
 */
export function networkOf(ip: string): string {
  const plain = ip.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIP(plain) !== 6) return plain
  // The URL parser writes an address in its shortest form, with IPv4 as hexadecimal groups.
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

// Headers that proxies add to requests.
const FORWARDED =
  /^(forwarded|via|cdn-loop|x-(forwarded|original|envoy|azure|amzn)-.+|x-(real|cluster-client)-ip|x-host|((x|true|fastly)-)?client-ip|cf-connecting-ip)$/

/**
 * Whether the request comes from this machine and names it by a local host name. Foreign DNS could point another name
 * here (DNS rebinding).
 */
export function isLocal(request: FastifyRequest): boolean {
  return (
    // A proxy on this machine forwards requests of others and may rewrite the host name. This includes a trusted
    // proxy, which may leave out its client's address.
    !Object.keys(request.headers).some((name) => FORWARDED.test(name)) &&
    // nginx uses HTTP/1.0 to its upstream by default. Browsers and curl do not.
    request.raw.httpVersion !== '1.0' &&
    /^(127\.|::1$)/.test(clientAddress(request)) &&
    /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(request.host)
  )
}
