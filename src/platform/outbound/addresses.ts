import { BlockList, isIP } from 'node:net'

/**
 * IPv4 networks that are not the public internet: IANA's special-purpose registry (RFC 6890 and its updates),
 * multicast, reserved. Cloud metadata services use 169.254.0.0/16, 100.64.0.0/10 and 192.0.0.0/24.
 */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Azure's metadata and DNS service, which has a public address.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

// In IPv6 only global unicast is public. This excludes everything else: loopback, link-local, unique-local, multicast,
// and addresses that embed an IPv4 address (::ffff:0:0/96, NAT64 64:ff9b::/96 and 64:ff9b:1::/48).
const GLOBAL_UNICAST = '2000::/3'
// Special ranges within global unicast: protocol assignments with Teredo, documentation, and 6to4, which also embeds
// IPv4.
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

// Names that exist only in private networks (RFC 6762, RFC 6761, ICANN's private-use name).
export const PRIVATE_NAME = /(^|\.)(localhost|local|internal)$/

/** The host of a URL. IPv6 addresses have no brackets. */
export function hostOf(url: URL): string {
  // The URL parser has already converted 0x7f.1, 2130706433 and similar forms to the address that they mean.
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

const special = blockList([...SPECIAL_IPV4, ...SPECIAL_IPV6])
const globalUnicast = blockList([GLOBAL_UNICAST])

/** Whether the text is an address on the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4')
    case 6:
      return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6')
    default:
      return false
  }
}

/** Private targets that the operator allows outbound HTTP to reach. */
export interface Exceptions {
  host(hostname: string): boolean
  address(address: string): boolean
  /** Whether there are any addresses. Then a name may lead to one of them. */
  hasAddresses: boolean
}

/** Reads valid entries: hosts, addresses and CIDRs. */
export function readExceptions(entries: readonly string[]): Exceptions {
  const networks = entries.filter((entry) => isNetwork(entry))
  const hosts = new Set(entries.filter((entry) => !isNetwork(entry)).map((entry) => entry.toLowerCase()))
  const address = readNetworks(networks)
  return {
    hasAddresses: networks.length > 0,
    host: (hostname) => hosts.has(hostname.toLowerCase()),
    address,
  }
}

/** Returns a function that says whether an address is in one of these valid addresses and CIDRs. */
export function readNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = blockList(networks)
  return (address) => {
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/** Whether a whole network is inside one of the others. */
export function isWithin(network: string, others: readonly string[]): boolean {
  const [address = ''] = network.split('/')
  return others.some(
    (other) =>
      isIP(address) === isIP(other.split('/')[0] ?? '') &&
      prefixOf(network) >= prefixOf(other) &&
      readNetworks([other])(address),
  )
}

function prefixOf(network: string): number {
  const [address = '', prefix] = network.split('/')
  return prefix === undefined ? (isIP(address) === 4 ? 32 : 128) : Number(prefix)
}

/** Whether the text is a host name without port or wildcard, an address, or a CIDR. */
export function isException(entry: string): boolean {
  return isNetwork(entry) || (isHostname(entry) && !/^[\d.]+$/.test(entry))
}

function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label))
}

/** Whether the text is an address or a CIDR. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = ''] = network.split('/')
    list.addSubnet(address, prefixOf(network), isIP(address) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}
