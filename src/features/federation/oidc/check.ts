import type { Platform } from '../../../platform/platform.ts'
import { type ConnectionCheck, checkClock, failed, passed } from '../connections/connections.ts'
import { FederationFailure } from '../federation/federation.ts'
import { type Discovery, MAX_DOCUMENT_BYTES, readDiscovery } from './documents.ts'
import { probeTokenEndpoint } from './exchange.ts'
import type { OidcProvider } from './provider.ts'
import { discoveryUrlOf, fetchKeySet, openTransport, type Transport } from './transport.ts'
import { resetBreaker } from './trouble.ts'

/** Runs all checks of a connection that need no person, with the provider's current documents. */
export async function checkProvider(platform: Platform, provider: OidcProvider): Promise<ConnectionCheck[]> {
  resetBreaker(platform, provider.asker)
  const transport = openTransport(platform, provider.asker)
  const read = await tryDiscovery(transport, provider)
  if ('failed' in read) return [read.failed]
  const { discovery, date } = read
  return [
    passed('discovery', 'The discovery document exists and belongs to this issuer.'),
    checkClock(platform, date),
    await checkKeys(transport, discovery),
    await checkClient(platform, provider),
  ]
}

/** A missing document needs another fix than a document with a different issuer. */
function fixOf(error: unknown, url: string): string {
  return error instanceof FederationFailure && error.code === 'idp_unreachable'
    ? `Correct oidc_issuer: the provider must publish its discovery document at ${url}.`
    : `oidc_issuer must be exactly the issuer in the document at ${url}, with or without a slash at the end.`
}

type Read = { failed: ConnectionCheck } | { discovery: Discovery; date: string | null }

async function tryDiscovery(transport: Transport, provider: OidcProvider): Promise<Read> {
  const url = discoveryUrlOf(provider)
  try {
    const headers = { accept: 'application/json' }
    const {
      status,
      headers: answered,
      body,
    } = await transport(url, { method: 'GET', headers, maxBytes: MAX_DOCUMENT_BYTES })
    if (status !== 200)
      throw new FederationFailure(
        'idp_unreachable',
        `The request for the discovery document was answered with status ${status}.`,
      )
    return { discovery: readDiscovery(body, provider.issuer), date: String(answered['date'] ?? '') || null }
  } catch (error) {
    return { failed: failed('discovery', detailOf(error), fixOf(error, url)) }
  }
}

async function checkKeys(transport: Transport, { jwks_uri }: Discovery): Promise<ConnectionCheck> {
  const fix = `The document at ${jwks_uri} must list the public keys that the provider signs with.`
  try {
    const { keys } = await fetchKeySet(transport, jwks_uri)
    if (keys.length > 0) return passed('keys', `The provider publishes its keys (${keys.length}).`)
    return failed('keys', 'The provider publishes no signing key.', fix)
  } catch (error) {
    return failed('keys', detailOf(error), fix)
  }
}

/**
 * Requests tokens with a made-up code. A provider that accepts the client refuses only the code (RFC 6749 §5.2). Any
 * other response proves nothing.
 */
async function checkClient(platform: Platform, provider: OidcProvider): Promise<ConnectionCheck> {
  const fix =
    'Copy oidc_client_id and oidc_client_secret from the provider again, or try another value of oidc_client_auth.'
  try {
    const said = await probeTokenEndpoint(platform, provider)
    if (said === 'invalid_client' || said === 'unauthorized_client')
      return failed('client', 'The provider does not accept the client ID and its secret or key.', fix)
    const accepts = said === 'invalid_grant' ? 'accepts' : 'did not refuse'
    return passed('client', `The provider ${accepts} the client ID and its secret or key.`)
  } catch (error) {
    return failed('client', detailOf(error), fix)
  }
}

function detailOf(error: unknown): string {
  if (error instanceof FederationFailure) return error.detail
  throw error
}
