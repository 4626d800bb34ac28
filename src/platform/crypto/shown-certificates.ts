import { X509Certificate } from 'node:crypto'
import { boundedMap } from '../bounded-map.ts'

/** The parsed data of a certificate, which never changes. */
type Read = Pick<X509Certificate, 'fingerprint256' | 'subject' | 'validFromDate' | 'validToDate'>

// A page of connections often repeats certificates, and parsing one costs as much as the rest of a row.
const MAX_READ = 2000
const known = boundedMap<Read>(MAX_READ)

function read(pem: string): Read {
  const found = known.get(pem)
  if (found) return found
  const { fingerprint256, subject, validFromDate, validToDate } = new X509Certificate(pem)
  const made = { fingerprint256, subject, validFromDate, validToDate }
  known.set(pem, made)
  return made
}

/** The fields by which people compare certificates. */
export interface ShownCertificate {
  fingerprint_sha256: string
  subject: string
  not_before: string
  not_after: string
  status: 'current' | 'next' | 'former' | 'expired'
  pem: string
}

export function toCertificate(pem: string, status: 'current' | 'next' | 'former' | null, now: Date): ShownCertificate {
  const { fingerprint256, subject, validFromDate, validToDate } = read(pem)
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
