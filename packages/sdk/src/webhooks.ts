import { brandOf, hasBrand } from './errors.ts'
import type { AnyEvent } from './gen/schemas.gen.ts'
import { headerOf, type IncomingRequest } from './request.ts'

export type { AnyEvent } from './gen/schemas.gen.ts'

/** Why a delivery is refused. */
export type WebhookErrorCode = 'body_not_raw' | 'header_missing' | 'timestamp_invalid' | 'signature_invalid'

const BRAND = brandOf('webhook')

/** The delivery is not from your Watchword, or was changed or delayed on the way. Respond with 400. */
export class WebhookError extends Error {
  static override [Symbol.hasInstance](value: unknown): value is WebhookError {
    return hasBrand(value, BRAND)
  }

  override readonly name = 'WebhookError'
  readonly [BRAND] = true
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export interface VerifyOptions {
  /** How much the delivery's time may differ from the current time, in seconds. Default 300. */
  toleranceSeconds?: number | undefined
  /** The current time in milliseconds since 1970. */
  now?: (() => number) | undefined
}

/** The text before the signature in `webhook-signature`. */
const VERSION = 'v1,'
const PREFIX = 'whsec_'

/**
 * Verifies a delivery (Standard Webhooks) and returns its event. Throws a {@link WebhookError} if it is not genuine.
 *
 * @param body - The body as it arrived: text, a Buffer or bytes. A parsed object no longer has the bytes that were
 * signed.
 * @param headers - The headers of the request.
 * @param secret - The `signingSecret` of the webhook. Pass both secrets during a rotation.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: IncomingRequest['headers'],
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): Promise<AnyEvent> {
  const bytes = bytesOf(body)
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = headerOf({ headers }, name)
    if (!value) throw new WebhookError('header_missing', `The header ${name} is missing.`)
    return value
  }) as [string, string, string]
  const isNear = Math.abs(Number(timestamp) - now() / 1000) <= toleranceSeconds
  if (!/^\d{1,15}$/.test(timestamp) || !isNear)
    throw new WebhookError(
      'timestamp_invalid',
      `The timestamp ${timestamp} is more than ${toleranceSeconds} s from now.`,
    )
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  if (!(await isSigned(signed, signatures, [secret].flat())))
    throw new WebhookError(
      'signature_invalid',
      'No signature matches: check the secret, and pass the body as it arrived.',
    )
  return JSON.parse(new TextDecoder().decode(bytes)) as AnyEvent
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice()
  throw new WebhookError('body_not_raw', 'Pass the raw body (text or bytes), not a parsed object.')
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

/**
 * Whether one of the secrets made one of the signatures. Computes one HMAC for each secret, however many signatures
 * there are.
 */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  secrets: readonly string[],
): Promise<boolean> {
  const given = signatures
    .split(' ')
    .filter((one) => one.startsWith(VERSION))
    .flatMap((one) => decoded(one.slice(VERSION.length)) ?? [])
  let found = false
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey('raw', keyOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    const expected = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
    for (const signature of given) found = isEqual(signature, expected) || found
  }
  return found
}

/** The key of a secret. Throws a TypeError if it is not a secret. */
function keyOf(secret: unknown): Uint8Array<ArrayBuffer> {
  const text = typeof secret === 'string' ? secret : ''
  const raw = decoded(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text)
  if (!raw?.length) throw new TypeError('The secret of a webhook is missing, or is not `whsec_` and base64.')
  return raw
}

/** Compares in constant time. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (const [at, byte] of a.entries()) difference |= byte ^ (b[at] ?? 0)
  return difference === 0
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
