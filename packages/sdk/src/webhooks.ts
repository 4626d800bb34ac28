import type { AnyEvent } from './gen/schemas.gen.ts'
import { headerOf, type IncomingRequest } from './request.ts'

export type { AnyEvent } from './gen/schemas.gen.ts'

/** Why a delivery is refused. */
export type WebhookErrorCode = 'body_not_raw' | 'header_missing' | 'timestamp_invalid' | 'signature_invalid'

/** The delivery is not from your Watchword, or was changed or delayed on the way. Answer it with 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export interface VerifyOptions {
  /** How far the time of the delivery may be from now, in seconds. Default 300. */
  toleranceSeconds?: number | undefined
  /** The current time in milliseconds since 1970. */
  now?: (() => number) | undefined
}

/** What comes before the signature in `webhook-signature`. */
const VERSION = 'v1,'
const PREFIX = 'whsec_'

/**
 * Verifies a delivery (Standard Webhooks) and returns its event. Throws a {@link WebhookError} otherwise.
 *
 * @param body - The body as it arrived: text, a Buffer or bytes. A parsed object has lost the bytes that were signed.
 * @param headers - The headers of the request.
 * @param secret - The `signingSecret` of the webhook; during a rotation both.
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
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(Number(timestamp) - now() / 1000) > toleranceSeconds)
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

/** Whether one of the signatures is by one of the secrets, in constant time for each. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  secrets: readonly string[],
): Promise<boolean> {
  const given = signatures
    .split(' ')
    .filter((one) => one.startsWith(VERSION))
    .flatMap((one) => decoded(one.slice(VERSION.length)) ?? [])
  for (const secret of secrets) {
    const raw = decoded(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret)
    if (!raw) throw new TypeError('A webhook secret is `whsec_` and base64.')
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    for (const signature of given) if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true
  }
  return false
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
