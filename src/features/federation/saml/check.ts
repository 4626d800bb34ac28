import { X509Certificate } from 'node:crypto'
import { OutboundFailure, outboundFetch } from '../../../platform/outbound/http.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Work } from '../../../platform/work.ts'
import { type ConnectionCheck, checkClock, failed, passed, spOf } from '../connections/connections.ts'
import type { KnownConnection } from '../connections/known/known.ts'
import { type IdpMetadata, IdpMetadataError, readIdpMetadata } from '../saml-metadata/saml-metadata.ts'

const DAY_MS = 24 * 3600_000
const SOON_DAYS = 60
const TIMEOUT_MS = 5000
const MAX_BYTES = 512 * 1024
const STALE = 'Ask the provider to publish its metadata again.'

/** Runs all checks of a connection that need no person. */
export async function checkProvider(work: Work, connection: KnownConnection): Promise<ConnectionCheck[]> {
  const { platform } = work
  const metadata = await checkMetadata(work, connection)
  const signOn = await checkSignOn(platform, connection)
  return [
    checkConfiguration(platform, connection),
    // Process clock: checks whether the certificates are valid today.
    checkCertificates(connection.idp_certificates, platform.clock.now()),
    ...(metadata ? [metadata.check] : []),
    signOn.check,
    checkClock(platform, metadata?.date ?? signOn.date),
  ]
}

function checkConfiguration(platform: Platform, connection: KnownConnection): ConnectionCheck {
  const needed = ['idp_entity_id', 'idp_sso_url'] as const
  const missing = needed.filter((field) => connection[field] === null)
  if (missing.length === 0) return passed('configuration', 'The connection has everything that a sign-in requires.')
  const fix = `Set ${missing.join(' and ')}, or send the metadata of the provider. The provider can import the metadata of this service from ${spOf(platform, connection.id).metadata_url}.`
  return failed('configuration', `The connection lacks ${missing.join(' and ')}.`, fix)
}

function checkCertificates(pems: string[], now: Date): ConnectionCheck {
  const fix =
    'Add the certificate that the provider signs with now to idp_certificate, and keep the current certificate.'
  if (pems.length === 0) return failed('certificates', 'The connection has no certificate of the provider.', fix)
  const valid = pems
    .map((pem) => new X509Certificate(pem))
    .filter((one) => one.validFromDate <= now && one.validToDate > now)
  const ends = Math.max(...valid.map(({ validToDate }) => validToDate.getTime()))
  // An expired certificate still works: a certificate is trusted because it was configured, so its dates do not
  // matter (SAML metadata interoperability profile).
  const none =
    'No certificate of the provider is valid at this time. Sign-ins still work, because an administrator has set the certificate as trusted.'
  if (valid.length === 0) return failed('certificates', none, fix)
  const days = Math.floor((ends - now.getTime()) / DAY_MS)
  const until = `valid until ${new Date(ends).toISOString().slice(0, 10)}`
  if (days < SOON_DAYS)
    return { id: 'certificates', ok: true, message: `The certificate is ${until}: ${days} days.`, fix }
  return passed('certificates', `The certificate is ${until}.`)
}

interface Checked {
  check: ConnectionCheck
  /** The current time according to the provider. */
  date: string | null
}

async function checkMetadata(work: Work, connection: KnownConnection): Promise<Checked | null> {
  const { platform } = work
  const { idp_metadata_url: url } = connection
  if (url === null) return null
  const fix = 'Correct idp_metadata_url, or set it to null and set the other fields yourself.'
  try {
    const { status, date, body } = await ask(platform, url)
    if (status !== 200)
      return { check: failed('metadata', `The metadata URL answers with status ${status}.`, fix), date }
    const metadata = await readIdpMetadata(work, body)
    const { validUntil } = metadata
    // Process clock: checks whether the metadata is valid today.
    if (validUntil && validUntil <= platform.clock.now())
      return { check: failed('metadata', `The metadata was valid until ${validUntil.toISOString()}.`, STALE), date }
    const differing = differences(connection, metadata)
    if (differing.length === 0) return { check: passed('metadata', 'The metadata matches the connection.'), date }
    const message = `The metadata of the provider differs from the connection: ${differing.join(', ')}.`
    return {
      check: failed(
        'metadata',
        message,
        'Send idp_metadata_url again, which copies the values of the metadata to the connection.',
      ),
      date,
    }
  } catch (error) {
    return { check: failed('metadata', reasonOf(error), fix), date: null }
  }
}

/** The fields in which a connection differs from its provider's metadata. */
function differences(connection: KnownConnection, { entityId, ssoUrls, certificates }: IdpMetadata): string[] {
  const known = new Set(connection.idp_certificates.map(fingerprintOf))
  const isNew = certificates.some((pem) => !known.has(fingerprintOf(pem)))
  return [
    ...(entityId === connection.idp_entity_id ? [] : ['idp_entity_id']),
    ...([ssoUrls.redirect, ssoUrls.post].includes(connection.idp_sso_url) ? [] : ['idp_sso_url']),
    ...(isNew ? ['idp_certificate'] : []),
  ]
}

const fingerprintOf = (pem: string) => new X509Certificate(pem).fingerprint256

/** Whether the server responds. Without a SAML request, its response says little. */
async function checkSignOn(platform: Platform, { idp_sso_url: url }: KnownConnection): Promise<Checked> {
  const fix = 'Copy idp_sso_url from the provider again.'
  if (url === null) return { check: failed('sso_url', 'The connection has no sign-in URL.', fix), date: null }
  try {
    const { status, date } = await ask(platform, url)
    const isThere = status !== 404 && status < 500
    const check = isThere
      ? passed('sso_url', `The sign-in URL is reachable. Without a sign-in request, it answered with status ${status}.`)
      : failed('sso_url', `The sign-in URL answered with status ${status}.`, fix)
    return { check, date }
  } catch (error) {
    if (error instanceof OutboundFailure && error.reason === 'too_large')
      return { check: passed('sso_url', 'The sign-in URL is reachable.'), date: null }
    return { check: failed('sso_url', reasonOf(error), fix), date: null }
  }
}

async function ask(platform: Platform, url: string): Promise<{ status: number; date: string | null; body: string }> {
  const { status, headers, body } = await outboundFetch(platform, url, {
    method: 'GET',
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
  return { status, date: String(headers['date'] ?? '') || null, body: body.toString() }
}

function reasonOf(error: unknown): string {
  if (error instanceof IdpMetadataError) return error.message
  if (error instanceof OutboundFailure) return error.detail
  throw error
}
