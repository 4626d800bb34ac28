import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { X509CertificateGenerator } from '@peculiar/x509'

type Keys = webcrypto.RsaHashedKeyGenParams | webcrypto.EcKeyGenParams

const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]) }

/** As many certificates of one key, in PEM. */
async function certificatesOf(algorithm: Keys, count: number): Promise<string[]> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const [notBefore, notAfter] = [new Date(Date.now() - 86_400_000), new Date(Date.now() + 86_400_000)]
  const signingAlgorithm = { name: algorithm.name, hash: 'SHA-256' }
  const make = async (_: unknown, index: number) => {
    const input = { name: `CN=idp ${index}`, notBefore, notAfter, keys, signingAlgorithm }
    return (await X509CertificateGenerator.createSelfSigned(input)).toString('pem')
  }
  return Promise.all(Array.from({ length: count }, make))
}

/** As many as are too many. */
export const many = await certificatesOf({ ...RSA, modulusLength: 2048 }, 11)

/** A certificate of an RSA key of 1024 bits, in PEM. */
export const [weak = ''] = await certificatesOf({ ...RSA, modulusLength: 1024 }, 1)

/** A certificate of an elliptic key, in PEM. */
export const [elliptic = ''] = await certificatesOf({ name: 'ECDSA', namedCurve: 'P-256' }, 1)
