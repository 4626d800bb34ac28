import { createPublicKey, X509Certificate } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import type { Platform } from '../../../platform/platform.ts'
import { named } from '../../../platform/schema.ts'
import type { Work } from '../../../platform/work.ts'
import { findConnectionAnywhere } from '../connections/known/known.ts'
import { type SpKey, spKeys } from '../connections/sp-keys/sp-keys.ts'
import { FederationFailure } from '../federation/federation.ts'
import type { ClientKey } from './provider.ts'

const text = (example: string) => Type.String({ examples: [example] })

/** The keys by which the service proves who it is at a token endpoint (RFC 7517). */
export const ClientKeySet = named(
  'ClientKeySet',
  Type.Object({
    keys: Type.Array(
      Type.Object({
        kty: text('RSA'),
        kid: text('0198b6f2'),
        use: text('sig'),
        alg: text('RS256'),
        n: text('oahUI…'),
        e: text('AQAB'),
        x5c: Type.Array(text('MIID…')),
        'x5t#S256': text('3q2-7w…'),
      }),
    ),
  }),
)

/** The key of the environment that signs at present. Throws FederationFailure. */
export async function clientKey({ platform, directory }: Work): Promise<ClientKey> {
  const [current] = (await spKeys(platform, directory)).signing
  if (!current) throw new FederationFailure('connection_incomplete', 'The environment has no key.')
  const { id, privateKeyPem } = current
  return { id, privateKeyPem, certificateDigest: digestOf(current) }
}

/** The public keys of the environment of an OpenID connection, also those to come. Throws `not_found`. */
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
