import { createPublicKey, X509Certificate } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import type { Platform } from '../../../platform/platform.ts'
import { described, named } from '../../../platform/schema.ts'
import type { Work } from '../../../platform/work.ts'
import { exampleCertificate } from '../connections/connections.ts'
import { findConnectionAnywhere } from '../connections/known/known.ts'
import { type SpKey, spKeys } from '../connections/sp-keys/sp-keys.ts'
import { FederationFailure } from '../federation/federation.ts'
import type { ClientKey } from './provider.ts'

const EXAMPLE_X5C = exampleCertificate.pem.replaceAll(/-----.*-----|\n/g, '')
const text = (example: string) => Type.String({ examples: [example] })

/** The keys with which the service authenticates at token endpoints (RFC 7517). */
export const ClientKeySet = named(
  'ClientKeySet',
  Type.Object(
    {
      keys: Type.Array(
        Type.Object({
          kty: described(text('RSA'), 'Key type: always `RSA`.'),
          kid: described(text('0198b6f2'), 'Key id: the `kid` of the client assertions.'),
          use: described(text('sig'), 'Always `sig`.'),
          alg: described(text('RS256'), 'Algorithm of the assertions: always `RS256`.'),
          n: described(
            text('0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc'),
            'Modulus, in base64url.',
          ),
          e: described(text('AQAB'), 'Exponent, in base64url.'),
          x5c: Type.Array(text(EXAMPLE_X5C), { description: 'The certificate, DER in base64.' }),
          'x5t#S256': described(
            text('oNc8Uker-Pq3vpsDTqDnEHEhi2Tu0BsGelKDYc3SyGI'),
            'SHA-256 of the certificate, in base64url.',
          ),
        }),
        { description: 'The current signing key, and the next one once it is published.' },
      ),
    },
    { description: 'Public keys for `private_key_jwt` (RFC 7517).' },
  ),
)

/** The environment's current signing key. Throws FederationFailure. */
export async function clientKey({ platform, directory }: Work): Promise<ClientKey> {
  const [current] = (await spKeys(platform, directory)).signing
  if (!current) throw new FederationFailure('connection_incomplete', 'The environment has no key.')
  const { id, privateKeyPem } = current
  return { id, privateKeyPem, certificateDigest: digestOf(current) }
}

/** The public keys of the environment of an OpenID connection, including the next keys. Throws `not_found`. */
export async function listClientKeys(platform: Platform, connectionId: string): Promise<Static<typeof ClientKeySet>> {
  const found = await findConnectionAnywhere(platform, connectionId)
  if (found?.connection.protocol !== 'oidc') throw httpErrors.notFound()
  const { signing } = await spKeys(platform, found.directory)
  return { keys: signing.map(toJwk) }
}

function toJwk(key: SpKey) {
  const { n = '', e = '' } = createPublicKey(key.certificatePem).export({ format: 'jwk' })
  const x5c = [new X509Certificate(key.certificatePem).raw.toString('base64')]
  return { kty: 'RSA', kid: key.id, use: 'sig', alg: 'RS256', n, e, x5c, 'x5t#S256': digestOf(key) }
}

function digestOf({ certificatePem }: SpKey): string {
  const hex = new X509Certificate(certificatePem).fingerprint256.replaceAll(':', '')
  return Buffer.from(hex, 'hex').toString('base64url')
}
