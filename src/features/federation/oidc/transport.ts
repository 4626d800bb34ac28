import type { CustomFetchOptions } from 'openid-client'
import {
  OutboundFailure,
  type OutboundRequest,
  type OutboundResponse,
  outboundFetch,
} from '../../../platform/outbound/http.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { FederationFailure } from '../federation/federation.ts'
import { createDocumentCache } from './document-cache.ts'
import { type Discovery, type KeySet, MAX_DOCUMENT_BYTES, readDiscovery, readKeySet } from './documents.ts'
import type { Asker, OidcProvider } from './provider.ts'
import { withBreaker } from './trouble.ts'

/** Time limit for all requests to a provider during one request to this service. */
const LIMIT_MS = 5000
// Limit for responses about one person.
const MAX_ANSWER_BYTES = 128 * 1024
const [DISCOVERY_FRESH_MS, KEYS_FRESH_MS] = [3600_000, 300_000]

// A cached discovery document takes about 1 KB, a key set 1 to 5 KB.
const [DISCOVERIES_BYTES, KEYS_BYTES] = [8 * 1024 * 1024, 16 * 1024 * 1024]

const discoveries = perPlatform(({ clock }) =>
  createDocumentCache<Discovery>(clock, { freshMs: DISCOVERY_FRESH_MS, maxBytes: DISCOVERIES_BYTES }),
)
const keySets = perPlatform(({ clock }) =>
  createDocumentCache<KeySet>(clock, { freshMs: KEYS_FRESH_MS, maxBytes: KEYS_BYTES }),
)

/** The owner in whose share of the cache the documents are stored. */
const ownerOf = ({ directoryId, isShared }: Asker) => (isShared ? '' : directoryId)

export type ProviderRequest = Pick<OutboundRequest, 'method' | 'headers' | 'body' | 'maxBytes'>

/** Sends requests to a provider within one common time limit. Throws FederationFailure if there is no response. */
export type Transport = (url: string, request: ProviderRequest) => Promise<OutboundResponse>

/**
 * A guarded HTTP client whose time limit begins now. Its requests fail for a while if the provider has not responded
 * lately.
 */
export function openTransport(platform: Platform, asker: Asker): Transport {
  const endsAtMs = performance.now() + LIMIT_MS
  return async (url, request) => {
    const timeoutMs = Math.floor(endsAtMs - performance.now())
    if (timeoutMs <= 0) throw new FederationFailure('idp_unreachable', new OutboundFailure('timeout').detail)
    const ask = () => outboundFetch(platform, url, { maxBytes: MAX_ANSWER_BYTES, ...request, timeoutMs })
    const response = await withBreaker(platform, asker, ask).catch(refuseWithCode)
    if (response.status >= 500 || response.status === 429 || response.status < 200)
      throw new FederationFailure('idp_unreachable', `The provider answers with status ${response.status}.`)
    return response
  }
}

function refuseWithCode(error: unknown): never {
  if (error instanceof OutboundFailure) throw new FederationFailure('idp_unreachable', error.detail)
  throw error
}

export function discoveryUrlOf({ discoveryUrl, issuer }: Pick<OidcProvider, 'discoveryUrl' | 'issuer'>): string {
  return discoveryUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

/** The discovery document, possibly from the cache. Throws FederationFailure. */
export function findDiscovery(platform: Platform, transport: Transport, provider: OidcProvider): Promise<Discovery> {
  const url = discoveryUrlOf(provider)
  const document = { owner: ownerOf(provider.asker), url: `${provider.issuer} ${url}` }
  return discoveries(platform).get(document, () => fetchDiscovery(transport, provider))
}

/** The discovery document, fetched now. Throws FederationFailure. */
export async function fetchDiscovery(transport: Transport, provider: OidcProvider): Promise<Discovery> {
  return readDiscovery(await fetchDocument(transport, discoveryUrlOf(provider)), provider.issuer)
}

/** The key set, fetched now. Throws FederationFailure. */
export async function fetchKeySet(transport: Transport, url: string): Promise<KeySet> {
  return readKeySet(await fetchDocument(transport, url))
}

/** The key set. It comes from the cache if that has the key `keyId`. Throws FederationFailure. */
export function findKeySet(
  platform: Platform,
  transport: Transport,
  { asker, url, keyId }: { asker: Asker; url: string; keyId: string | null },
): Promise<KeySet> {
  const has = ({ keys }: KeySet) => keyId !== null && keys.some(({ kid }) => kid === keyId)
  return keySets(platform).get({ owner: ownerOf(asker), url }, () => fetchKeySet(transport, url), has)
}

async function fetchDocument(transport: Transport, url: string): Promise<Buffer> {
  const headers = { accept: 'application/json' }
  const { status, body } = await transport(url, { method: 'GET', headers, maxBytes: MAX_DOCUMENT_BYTES })
  if (status !== 200) throw new FederationFailure('idp_unreachable', `The provider answers with status ${status}.`)
  return body
}

/**
 * The `fetch` of openid-client. Documents come from the cache, everything else from the provider. The cached key set
 * is used if it has the key that the ID token names; otherwise it is fetched again.
 */
export function fetchFor(
  platform: Platform,
  transport: Transport,
  { provider, discovery }: { provider: OidcProvider; discovery: Discovery },
) {
  let keyId: string | null = null
  return async (url: string, { method, headers, body }: CustomFetchOptions): Promise<Response> => {
    if (url === discovery.jwks_uri) {
      return Response.json(await findKeySet(platform, transport, { asker: provider.asker, url, keyId }))
    }
    if (method === 'GET' && url.endsWith('/.well-known/openid-configuration')) return Response.json(discovery)
    const answer = await transport(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body instanceof URLSearchParams ? { body: body.toString() } : {}),
    })
    if (method === 'POST') keyId = readKeyId(readIdToken(answer.body))
    return toResponse(answer)
  }
}

/** The ID token in a response of the token endpoint. */
function readIdToken(body: Buffer): string {
  try {
    return String(Object(JSON.parse(body.toString())).id_token)
  } catch {
    return ''
  }
}

/** The `kid` of a token that is not verified yet; null if there is none. */
export function readKeyId(token: string): string | null {
  try {
    const { kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
    return typeof kid === 'string' ? kid : null
  } catch {
    return null
  }
}

function toResponse({ status, headers, body }: OutboundResponse): Response {
  const flat = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  // Responses with these statuses must not have a body (Fetch standard).
  const isEmpty = [204, 205, 304].includes(status)
  return new Response(isEmpty ? null : new Uint8Array(body), { status, headers: flat })
}
