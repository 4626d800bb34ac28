import { webcrypto } from 'node:crypto'

/** A key pair with the certificate that it signs itself. */
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

/** Makes an RSA-3072 pair and a self-signed certificate (RFC 5280), valid from yesterday on, for clocks that are late. */
export async function makeCertificate(input: { commonName: string; years: number; from: Date }): Promise<SelfSigned> {
  // Loaded when first needed: the start does not.
  await import('reflect-metadata')
  const { X509CertificateGenerator, PemConverter } = await import('@peculiar/x509')
  const [notBefore, notAfter] = [new Date(input.from.getTime() - DAY_MS), new Date(input.from)]
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + input.years)
  const keys = await webcrypto.subtle.generateKey(RSA, true, ['sign', 'verify'])
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
