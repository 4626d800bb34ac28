import { X509Certificate } from 'node:crypto'
import type { Certificate } from './schema.ts'

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
