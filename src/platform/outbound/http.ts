import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { Client, Dispatcher } from 'undici'
import type { Config } from '../config/config.ts'
import { refuseInTransaction } from '../db/lanes.ts'
import { readErrorField } from '../errors.ts'
import { outsideTurn } from '../limits/place.ts'
import { type Platform, perPlatform } from '../platform.ts'
import { type Exceptions, hostOf, isPublicAddress, PRIVATE_NAME, readExceptions } from './addresses.ts'
import { type Connections, connectionKey, end, keepConnections } from './connections.ts'
import { lookUpAddresses } from './dns.ts'

export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Record<string, string>
  body?: string
  /** The time for the whole request, from name resolution to the last byte. Default 15 000. */
  timeoutMs?: number
  /** The largest response body. Default 64 KiB. */
  maxBytes?: number
  /** Whether a longer body is cut off instead of being a failure. */
  cutsBody?: boolean
  /**
   * The owner of the connection. The owner's next request to the same addresses may reuse it. By default, connections
   * are not reused.
   */
  keepsFor?: string
}

export interface OutboundResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** Reasons for failures, in words for the people who configured the address. */
const REASONS = {
  invalid_url: 'The URL is not complete.',
  not_allowed:
    'The URL is not https or leads to a private address, and WATCHWORD_OUTBOUND_ALLOW does not list its host.',
  unreachable: 'The server is unreachable. Its host name does not exist, or nothing answers there.',
  tls: 'The server has no trusted certificate or does not support TLS.',
  timeout: 'The server did not answer in time.',
  too_large: 'The answer is too large.',
  bad_answer: 'The answer is not HTTP.',
}

export type OutboundReason = keyof typeof REASONS

/** A request without a usable response. Contains no part of the request, because URLs and headers contain secrets. */
export class OutboundFailure extends Error {
  override name = 'OutboundFailure'
  readonly reason: OutboundReason
  /** The reason in words. */
  readonly detail: string
  /** The code of the underlying failure, such as `ECONNREFUSED`, or else the reason in capitals. */
  readonly code: string

  constructor(reason: OutboundReason, code: string = reason.toUpperCase()) {
    super(`Outbound request failed: ${reason}`)
    this.reason = reason
    this.detail = REASONS[reason]
    this.code = code
  }
}

/** Finds every address of a host name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

// Names that may exist only in `/etc/hosts`, and that are never sent to name servers.
const LOCAL_NAME = /(^|\.)(localhost|internal)$/

/**
 * Names that the operator lists are resolved by the system. Name servers of other names may not answer, which must not
 * delay other lookups.
 */
const resolverFor =
  (exceptions: Exceptions): Resolve =>
  (hostname) =>
    exceptions.host(hostname) || LOCAL_NAME.test(hostname)
      ? lookup(hostname, { all: true, verbatim: true })
      : lookUpAddresses(hostname)

const TIMEOUT_MS = 15_000
const MAX_BODY_BYTES = 64 * 1024
const MAX_HEADER_BYTES = 16 * 1024

/**
 * The only HTTP client. Every address of the host is checked, and the connection goes to a checked address, so DNS
 * rebinding has no effect. A redirect is an ordinary response and is never followed (ASVS 1.3.6, 15.3.2). Only https
 * is allowed, except for hosts in WATCHWORD_OUTBOUND_ALLOW. Throws OutboundFailure.
 */
export function outboundFetch(platform: Platform, url: string, request: OutboundRequest): Promise<OutboundResponse> {
  refuseInTransaction(platform)
  return outsideTurn(() => outbound(platform)(url, request))
}

const outbound = perPlatform((platform) => openOutbound(platform.config))

/** Opens a client, optionally with another resolver. */
export function openOutbound(config: Pick<Config, 'outboundAllow'>, given?: Resolve) {
  const exceptions = readExceptions(config.outboundAllow)
  const resolve = given ?? resolverFor(exceptions)
  const connections = keepConnections<Client>()
  return async (url: string, request: OutboundRequest): Promise<OutboundResponse> => {
    const target = readTarget(url)
    const signal = AbortSignal.timeout(request.timeoutMs ?? TIMEOUT_MS)
    try {
      const addresses = await unlessAborted(checkedAddresses(target, exceptions, resolve), signal)
      const { status, headers, body } = await exchange(connections, { target, addresses, request, signal })
      return { status, headers, body }
    } catch (error) {
      throw toFailure(error, signal)
    }
  }
}

function readTarget(url: string): URL {
  const target = URL.parse(url)
  // Credentials belong in a header: undici would not send them from the URL, and URLs appear in logs.
  if (!target || !['https:', 'http:'].includes(target.protocol) || target.username || target.password)
    throw new OutboundFailure('invalid_url')
  return target
}

async function checkedAddresses(target: URL, exceptions: Exceptions, resolve: Resolve): Promise<LookupAddress[]> {
  const hostname = hostOf(target)
  const family = isIP(hostname)
  const isNamed = exceptions.host(hostname)
  const isInner = target.protocol !== 'https:' || PRIVATE_NAME.test(hostname)
  // If no result could be allowed, the name is not looked up: tenants must not learn whether an internal name exists.
  if (isInner && !isNamed && !exceptions.hasAddresses) throw new OutboundFailure('not_allowed')
  const addresses = family ? [{ address: hostname, family }] : await resolve(hostname)
  if (addresses.length === 0) throw new OutboundFailure('unreachable', 'ENOTFOUND')
  if (isNamed || addresses.every(({ address }) => exceptions.address(address))) return addresses
  const isPublic = addresses.every(({ address }) => isPublicAddress(address) || exceptions.address(address))
  if (isInner || !isPublic) throw new OutboundFailure('not_allowed')
  return addresses
}

interface Exchange {
  target: URL
  addresses: LookupAddress[]
  request: OutboundRequest
  signal: AbortSignal
}

/** Uses a new connection, or one that the same owner has used, to the addresses that were just checked. */
async function exchange(connections: Connections<Client>, given: Exchange): Promise<OutboundResponse> {
  const { target, addresses, request, signal } = given
  const key = request.keepsFor === undefined ? null : connectionKey(request.keepsFor, target.origin, addresses)
  const used = key === null ? null : connections.take(key)
  const open = () => openClient(target.origin, addresses, request.timeoutMs ?? TIMEOUT_MS)
  const send = async (client: Client) => {
    try {
      const answer = await ask(client, given)
      if (key !== null && answer.isWhole) connections.give(key, client)
      else end(client)
      return answer
    } catch (error) {
      end(client)
      throw error
    }
  }
  if (!used) return send(await open())
  try {
    return await send(used)
  } catch (error) {
    // Servers close idle connections. If that just happened, there was no response, and the request is sent again.
    if (signal.aborted || !CLOSED_CODE.test(String(readErrorField(error, 'code')))) throw error
    return send(await open())
  }
}

const CLOSED_CODE = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/

/** Opens a connection to checked addresses, whatever the name resolves to by then. */
async function openClient(origin: string, addresses: LookupAddress[], timeoutMs: number): Promise<Client> {
  // Loaded with the first request, because the start does not need it.
  const { Client } = await import('undici')
  return new Client(origin, {
    connect: { lookup: pinnedTo(addresses), timeout: timeoutMs },
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
  })
}

function pinnedTo(addresses: LookupAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, addresses)
    else callback(null, first?.address ?? '', first?.family)
  }
}

async function ask(client: Client, { target, request, signal }: Exchange) {
  const { statusCode, headers, body } = await client.request({
    method: request.method,
    path: target.pathname + target.search,
    headers: { 'user-agent': 'Watchword', ...request.headers },
    body: request.body ?? null,
    signal,
  })
  return { status: statusCode, headers, ...(await readBody(body, request)) }
}

async function readBody(
  body: Dispatcher.ResponseData['body'],
  { maxBytes = MAX_BODY_BYTES, cutsBody = false }: OutboundRequest,
): Promise<{ body: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > maxBytes && !cutsBody) throw new OutboundFailure('too_large')
    chunks.push(chunk)
    // The connection ends with the request, so the rest of the body is not read.
    if (size > maxBytes) return { body: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: false }
  }
  return { body: Buffer.concat(chunks), isWhole: true }
}

/** The system's resolver cannot be cancelled, but waiting for it can. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

const CERTIFICATE_CODE = /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$)/

function toFailure(error: unknown, signal: AbortSignal): OutboundFailure {
  if (error instanceof OutboundFailure) return error
  if (signal.aborted) return new OutboundFailure('timeout')
  const found = readErrorField(error, 'code')
  const code = typeof found === 'string' && /^[A-Z0-9_]{1,60}$/.test(found) ? found : 'EUNKNOWN'
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return new OutboundFailure('too_large', code)
  if (code.includes('TIMEOUT') || code === 'ETIMEDOUT') return new OutboundFailure('timeout', code)
  if (code === 'UND_ERR_INVALID_ARG') return new OutboundFailure('invalid_url', code)
  // Not every error of this kind has a code.
  if (error instanceof Error && error.name === 'HTTPParserError') return new OutboundFailure('bad_answer')
  return new OutboundFailure(CERTIFICATE_CODE.test(code) ? 'tls' : 'unreachable', code)
}
