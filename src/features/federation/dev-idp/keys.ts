import { createPublicKey } from 'node:crypto'
import { makeCertificate } from '../../../platform/crypto/certificates.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { providerTime } from './faults.ts'
import { findKeyRow, insertKeyRow } from './store.ts'

/** An RSA key pair that signs for the provider, with its certificate. */
export interface DevKey {
  id: string
  certificatePem: string
  privateKeyPem: string
}

const PLACE = { table: 'dev_idp_keys', column: 'private_key_sealed', row: 'only', accountId: null }
const YEARS = 10

// A failed attempt is not kept.
const kept = perPlatform(() => ({ key: null as Promise<DevKey> | null, expired: null as Promise<DevKey> | null }))

/** The key in the metadata. It is stored, so that connections still work after a restart. */
export function devKey(platform: Platform): Promise<DevKey> {
  const keys = kept(platform)
  keys.key ??= loadOrMake(platform).catch((error: unknown) => {
    keys.key = null
    throw error
  })
  return keys.key
}

/** A key that is not in the metadata, and whose certificate has expired. */
export function expiredKey(platform: Platform): Promise<DevKey> {
  const keys = kept(platform)
  const from = new Date(providerTime(platform).getTime() - 2 * 365 * 24 * 3600_000)
  // Test option: tests reuse key pairs.
  keys.expired ??= makeCertificate(
    { commonName: 'Expired development provider', years: 1, from },
    platform.makeRsaPair,
  ).then((pair) => ({
    id: 'expired',
    ...pair,
  }))
  return keys.expired
}

async function loadOrMake(platform: Platform): Promise<DevKey> {
  if (!(await findKeyRow(platform.db))) {
    const from = providerTime(platform)
    // Test option: tests reuse key pairs.
    const made = await makeCertificate(
      { commonName: 'Watchword development provider', years: YEARS, from },
      platform.makeRsaPair,
    )
    const sealed = await platform.keyring.seal(PLACE, made.privateKeyPem)
    await insertKeyRow(platform.db, { certificate: made.certificatePem, private_key_sealed: sealed })
  }
  const row = await findKeyRow(platform.db)
  if (!row) throw new Error('The key of the development provider was not stored')
  const privateKeyPem = await platform.keyring.open(PLACE, row.private_key_sealed)
  return { id: 'dev', certificatePem: row.certificate, privateKeyPem }
}

/** The public key as a JWK (RFC 7517). */
export function publicJwk({ id, certificatePem }: DevKey) {
  return { ...createPublicKey(certificatePem).export({ format: 'jwk' }), kid: id, alg: 'RS256', use: 'sig' }
}
