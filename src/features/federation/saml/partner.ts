import { publicUrl } from '../../../platform/http/public-url.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Work } from '../../../platform/work.ts'
import { spOf } from '../connections/connections.ts'
import type { KnownConnection } from '../connections/known/known.ts'
import { spKeys } from '../connections/sp-keys/sp-keys.ts'
import { FederationFailure } from '../federation/federation.ts'
import type { Expected } from './assertion.ts'
import type { Trust } from './response.ts'

/** Spellings of this service's address that a provider may use: routes exist with and without `/api`. */
export function spellingsOf(platform: Platform, path: `/v1/${string}`): string[] {
  const url = publicUrl(platform, path)
  return [url, `${url.slice(0, -`/api${path}`.length)}${path}`]
}

/** The address that a response is posted to. */
export function acsUrlsOf(platform: Platform, connectionId: string | null): string[] {
  return spellingsOf(
    platform,
    `/v1/auth/login/sso/saml/acs${connectionId === null ? '' : `/${connectionId.toLowerCase()}`}`,
  )
}

/** The values that responses must have for a connection, whichever sign-in they belong to. Throws FederationFailure. */
export function expectedOf(
  platform: Platform,
  { id, idp_entity_id }: KnownConnection,
): Pick<Expected, 'idpEntityId' | 'spEntityId' | 'now'> {
  if (idp_entity_id === null)
    throw new FederationFailure('connection_incomplete', 'The connection has no idp_entity_id.')
  // Process clock: the provider set the times of the assertion by its own clock.
  return { idpEntityId: idp_entity_id, spEntityId: spOf(platform, id).entity_id, now: platform.clock.now() }
}

/** The certificates, keys and rules by which a connection trusts a response. Throws FederationFailure. */
export async function trustOf({ platform, directory }: Work, connection: KnownConnection): Promise<Trust> {
  if (connection.idp_certificates.length === 0)
    throw new FederationFailure('connection_incomplete', 'The connection has no certificate of the provider.')
  const { encryption } = await spKeys(platform, directory)
  return {
    certificates: connection.idp_certificates,
    decryptionKeys: encryption.map(({ privateKeyPem }) => privateKeyPem),
    allowSha1: connection.allow_sha1,
    requireEncryption: connection.want_assertions_encrypted,
  }
}
