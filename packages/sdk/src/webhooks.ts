import { hasBrand } from './errors.ts'
import type { AnyEvent, Event } from './gen/schemas.gen.ts'
import { headerOf, type IncomingRequest } from './request.ts'

export type { AnyEvent } from './gen/schemas.gen.ts'

/** An event that is too large for a delivery (20 KB). Read the whole event in the feed, by its `id`. */
export type TruncatedEvent = Omit<Event, 'data' | 'previous'> & {
  truncated: true
  /** The id of the resource, if the event has one. */
  data: { id?: string }
  previous: null
}

/** An event as it is delivered. Look at `truncated` before `type`: of a large event, `data` has only an id. */
export type DeliveredEvent = (AnyEvent & { truncated?: undefined }) | TruncatedEvent

/** Why a delivery is refused. */
export type WebhookErrorCode = 'body_not_raw' | 'header_missing' | 'timestamp_invalid' | 'signature_invalid'

const BRAND: unique symbol = Symbol.for('watchword.webhook')

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
/** What the specification demands of a secret. */
const LEAST_BYTES = 24

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
): Promise<DeliveredEvent> {
  const keys = keysOf(secret)
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
  if (!(await isSigned(signed, signatures, keys)))
    throw new WebhookError(
      'signature_invalid',
      'No signature matches: check the secret, and pass the body as it arrived.',
    )
  return JSON.parse(new TextDecoder().decode(bytes)) as DeliveredEvent
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice()
  const message =
    'Pass the raw body (text or bytes), not a parsed object. In Express, register `webhook()` before `express.json()`.'
  throw new WebhookError('body_not_raw', message)
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
  keys: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const given = signatures
    .split(' ')
    .filter((one) => one.startsWith(VERSION))
    .flatMap((one) => decoded(one.slice(VERSION.length)) ?? [])
  let found = false
  for (const raw of keys) {
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    const expected = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
    for (const signature of given) found = isEqual(signature, expected) || found
  }
  return found
}

/** The keys of the secrets. Throws a TypeError if there is none, or if one of them is none. */
export function keysOf(secret: string | readonly string[]): Uint8Array<ArrayBuffer>[] {
  const secrets: unknown[] = [secret].flat()
  if (secrets.length === 0) throw new TypeError('The list of secrets of a webhook is empty.')
  return secrets.map(keyOf)
}

function keyOf(secret: unknown): Uint8Array<ArrayBuffer> {
  const text = typeof secret === 'string' ? secret : ''
  const raw = decoded(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text)
  if (!raw || raw.length < LEAST_BYTES)
    throw new TypeError('The secret of a webhook is missing, or is not `whsec_` and base64: pass its `signingSecret`.')
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
