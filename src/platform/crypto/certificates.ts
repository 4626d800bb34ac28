import { webcrypto, X509Certificate } from 'node:crypto'
import { invalidField } from '../errors.ts'

/** A key pair and its self-signed certificate. */
export interface SelfSigned {
  certificatePem: string
  privateKeyPem: string
  notAfter: Date
}

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 3072,
  publicExponent: new Uint8Array([1, 0, 1]),
}

export type MakeRsaPair = () => Promise<webcrypto.CryptoKeyPair>

/** Makes an RSA-3072 pair, which takes a fifth of a second of one core. */
export const makeRsaPair: MakeRsaPair = () => webcrypto.subtle.generateKey(RSA, true, ['sign', 'verify'])

/**
 * Makes an RSA-3072 pair and a self-signed certificate (RFC 5280). It is valid from yesterday, for readers whose
 * clocks are slow.
 */
export async function makeCertificate(
  input: { commonName: string; years: number; from: Date },
  // Test option: the default makes a new pair. Tests reuse key pairs.
  makePair = makeRsaPair,
): Promise<SelfSigned> {
  // Loaded when first needed, because the start does not need it.
  await import('reflect-metadata')
  const { X509CertificateGenerator, PemConverter } = await import('@peculiar/x509')
  const [notBefore, notAfter] = [new Date(input.from.getTime() - DAY_MS), new Date(input.from)]
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + input.years)
  const keys = await makePair()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${input.commonName}`,
    notBefore,
    notAfter,
    keys,
    signingAlgorithm: RSA,
  })
  const privateKey = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    certificatePem: certificate.toString('pem'),
    privateKeyPem: PemConverter.encode(privateKey, 'PRIVATE KEY'),
    notAfter,
  }
}

const DAY_MS = 24 * 3600_000

const PEM = /-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=]+-----END CERTIFICATE-----/g

/**
 * Reads the certificates in one or several texts, and removes duplicates. Providers publish them as PEM or as bare
 * base64. Throws `invalid_request`.
 */
export function readCertificates(texts: readonly string[], field: string): string[] {
  const all = texts.flatMap((text) => {
    const blocks = text.match(PEM)
    return blocks ?? [wrapped(text)]
  })
  return [...new Set(all.map((pem) => normalized(pem, field)))]
}

function wrapped(base64: string): string {
  return `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/\s/g, '')}\n-----END CERTIFICATE-----`
}

function normalized(pem: string, field: string): string {
  const read = parse(pem)
  const message = `${field} must be an X.509 certificate in PEM`
  if (!read) throw invalidField(field, 'certificate', message)
  if (!hasStrongKey(read))
    throw invalidField(field, 'weak_key', `${field} must be a certificate with an RSA key of at least 2048 bits`)
  return read.toString().trim()
}

/** Whether signatures by the certificate's key are accepted: RSA with at least 2048 bits. */
export function hasStrongKey({ publicKey }: X509Certificate): boolean {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = publicKey
  return type === 'rsa' && (details?.modulusLength ?? 0) >= 2048
}

function parse(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}
