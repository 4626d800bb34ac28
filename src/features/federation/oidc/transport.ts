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

/** Of everything that is asked of a provider between a request of ours and its answer. */
const LIMIT_MS = 5000
// What answers about one person.
const MAX_ANSWER_BYTES = 128 * 1024
const [DISCOVERY_FRESH_MS, KEYS_FRESH_MS] = [3600_000, 300_000]

// A discovery document is remembered with about 1 KB, a set of keys with 1 to 5.
const [DISCOVERIES_BYTES, KEYS_BYTES] = [8 * 1024 * 1024, 16 * 1024 * 1024]

const discoveries = perPlatform(({ clock }) =>
  createDocumentCache<Discovery>(clock, { freshMs: DISCOVERY_FRESH_MS, maxBytes: DISCOVERIES_BYTES }),
)
const keySets = perPlatform(({ clock }) =>
  createDocumentCache<KeySet>(clock, { freshMs: KEYS_FRESH_MS, maxBytes: KEYS_BYTES }),
)

/** In whose share of the memory documents are. */
const ownerOf = ({ directoryId, isShared }: Asker) => (isShared ? '' : directoryId)

export type ProviderRequest = Pick<OutboundRequest, 'method' | 'headers' | 'body' | 'maxBytes'>

/** Sends requests to a provider, all within one limit of time. Throws FederationFailure where there is no answer. */
export type Transport = (url: string, request: ProviderRequest) => Promise<OutboundResponse>

/** The guarded way out, bounded in time from now on; barred for a while where the provider has not answered lately. */
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

/** The discovery document, as it is known. Throws FederationFailure. */
export function findDiscovery(platform: Platform, transport: Transport, provider: OidcProvider): Promise<Discovery> {
  const url = discoveryUrlOf(provider)
  const document = { owner: ownerOf(provider.asker), url: `${provider.issuer} ${url}` }
  return discoveries(platform).get(document, () => fetchDiscovery(transport, provider))
}

/** The discovery document, as it is now. Throws FederationFailure. */
export async function fetchDiscovery(transport: Transport, provider: OidcProvider): Promise<Discovery> {
  return readDiscovery(await fetchDocument(transport, discoveryUrlOf(provider)), provider.issuer)
}

/** The keys, as they are now. Throws FederationFailure. */
export async function fetchKeySet(transport: Transport, url: string): Promise<KeySet> {
  return readKeySet(await fetchDocument(transport, url))
}

/** The keys, as they are known, if the one that is looked for is among them. Throws FederationFailure. */
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
 * What openid-client sends goes through here: documents come from what is remembered, and everything else from the
 * provider. The key that the ID token names is looked for in the keys that are known, before they are read again.
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

/** The ID token in an answer of the token endpoint. */
function readIdToken(body: Buffer): string {
  try {
    return String(Object(JSON.parse(body.toString())).id_token)
  } catch {
    return ''
  }
}

/** `kid` of a token that is not verified yet; null where there is none. */
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
  // These must not have a body (Fetch standard).
  const isEmpty = [204, 205, 304].includes(status)
  return new Response(isEmpty ? null : new Uint8Array(body), { status, headers: flat })
}
