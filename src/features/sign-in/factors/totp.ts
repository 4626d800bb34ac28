import { timingSafeEqual } from 'node:crypto'
import { HOTP, Secret, TOTP } from 'otpauth'

// RFC 6238, with the parameters that every authenticator app supports: SHA-1, six digits, thirty seconds.
const STEP_SECONDS = 30
const DIGITS = 6
// 160 bits, the length that RFC 4226 §4 recommends.
const SECRET_BYTES = 20
// Google Authenticator's first secrets had 80 bits. A secret longer than an SHA-1 block adds no strength (RFC 2104
// §3).
const MIN_FOREIGN_BYTES = 10
const MAX_FOREIGN_BYTES = 64
// The valid lengths of the last base32 group without its padding (RFC 4648 §6).
const WHOLE_BYTES = [0, 2, 4, 5, 7]
// Clocks of phones may be one step ahead or behind (RFC 6238 §5.2).
const DRIFT_STEPS = 1

/** Makes a secret, in base32 as authenticator apps expect it. */
export function makeTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32
}

/**
 * Reads the secret of an app enrolled at another service, in base32 or as a key URI, and returns it in the form of
 * `makeTotpSecret`. Returns null for anything else, and for an app whose codes this service could not accept.
 */
export function readTotpSecret(text: string): string | null {
  const given = /^otpauth:/i.test(text.trim()) ? secretOfUrl(text.trim()) : text
  const secret = given?.replaceAll(/[\s-]/g, '').replace(/=+$/, '').toUpperCase() ?? ''
  if (!/^[A-Z2-7]+$/.test(secret) || !WHOLE_BYTES.includes(secret.length % 8)) return null
  const bytes = Math.floor((secret.length * 5) / 8)
  return bytes >= MIN_FOREIGN_BYTES && bytes <= MAX_FOREIGN_BYTES ? secret : null
}

function secretOfUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'otpauth:' || url.host.toLowerCase() !== 'totp') return null
  const told = (name: string, otherwise: string) => url.searchParams.get(name)?.toUpperCase() ?? otherwise
  const isOurs =
    ['SHA1', 'SHA-1', 'HMACSHA1'].includes(told('algorithm', 'SHA1')) &&
    told('digits', '6') === String(DIGITS) &&
    told('period', '30') === String(STEP_SECONDS)
  return isOurs ? url.searchParams.get('secret') : null
}

/** The code of one time step. */
export function totpCode(secret: string, step: number, digits = DIGITS): string {
  return HOTP.generate({ secret: Secret.fromBase32(secret), counter: step, digits, algorithm: 'SHA1' })
}

/** The time step at a given time, in seconds since 1970. */
export function stepAt(epochSeconds: number): number {
  return Math.floor(epochSeconds / STEP_SECONDS)
}

/** Returns the time step of a code, or null. Only steps around the current one and after the last used one match. */
export function matchStep(secret: string, typed: string, epochSeconds: number, lastStep: number): number | null {
  // Apps show the digits in two groups.
  const code = typed.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(code)) return null
  const now = stepAt(epochSeconds)
  let matched: number | null = null
  for (let step = now - DRIFT_STEPS; step <= now + DRIFT_STEPS; step++) {
    const right = timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code))
    if (right && step > lastStep) matched ??= step
  }
  return matched
}

/** The content of the QR code, in the key URI format that authenticator apps read. */
export function otpauthUrl(secret: string, issuer: string, account: string): string {
  // A colon separates issuer and account in the label, and apps split the label at the first colon.
  const name = issuer.replaceAll(':', ' ')
  return new TOTP({
    issuer: name,
    label: account,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: DIGITS,
    period: STEP_SECONDS,
  }).toString()
}
