import { X509Certificate } from 'node:crypto'
import { invalidField } from '../../platform/errors.ts'
import type { Certificate } from './schema.ts'

const PEM = /-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=]+-----END CERTIFICATE-----/g

/**
 * The certificates of a text or several, in PEM, each once: as providers hand them out, also as bare base64. Throws
 * `invalid_request`.
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
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = read.publicKey
  const isWeak = type === 'rsa' && (details?.modulusLength ?? 0) < 2048
  if (isWeak) throw invalidField(field, 'weak_key', `The RSA key of ${field} must have at least 2048 bits`)
  return read.toString().trim()
}

function parse(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

/** A certificate as people compare it. */
export function toCertificate(pem: string, status: 'current' | 'next' | 'former' | null, now: Date): Certificate {
  const { fingerprint256, subject, validFromDate, validToDate } = new X509Certificate(pem)
  const isOver = validToDate <= now
  const isEarly = validFromDate > now
  return {
    fingerprint_sha256: fingerprint256,
    subject: subject.replaceAll('\n', ', '),
    not_before: validFromDate.toISOString(),
    not_after: validToDate.toISOString(),
    status: status ?? (isOver ? 'expired' : isEarly ? 'next' : 'current'),
    pem,
  }
}
