import { timingSafeEqual } from 'node:crypto'
import { HOTP, Secret, TOTP } from 'otpauth'

// RFC 6238, with the parameters that every authenticator app supports: SHA-1, six digits, thirty seconds.
const STEP_SECONDS = 30
const DIGITS = 6
// 160 bits, the length that RFC 4226 §4 recommends.
const SECRET_BYTES = 20
// Google Authenticator began with 80 bits. More than a block of SHA-1 adds nothing (RFC 2104 §3).
const MIN_FOREIGN_BYTES = 10
const MAX_FOREIGN_BYTES = 64
// The lengths of the last group that RFC 4648 §6 knows, without its padding.
const WHOLE_BYTES = [0, 2, 4, 5, 7]
// Clocks of phones may be a step ahead or behind (RFC 6238 §5.2).
const DRIFT_STEPS = 1

/** A fresh secret, in base32 as apps expect it. */
export function makeTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32
}

/**
 * The secret of an app elsewhere, in base32 as `makeTotpSecret` writes it: given in base32, or as the key URI of the app. Null
 * for anything else, and for an app whose codes would never pass here.
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

/** The time step at a moment, in seconds since 1970. */
export function stepAt(epochSeconds: number): number {
  return Math.floor(epochSeconds / STEP_SECONDS)
}

/** The step of a code, among those around the current one and after the last one used, or null. */
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

/** The content of the QR code (the key URI format of authenticator apps). */
export function otpauthUrl(secret: string, issuer: string, account: string): string {
  // A colon separates the two in the label, and apps split at the first.
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
