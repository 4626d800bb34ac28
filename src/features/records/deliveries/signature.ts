import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const BYTES = 32

/** A new signing secret (Standard Webhooks 1.0): `whsec_` and Base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(BYTES).toString('base64')
}

export function hintOf(secret: string): string {
  return `${PREFIX}…${secret.replace(/=+$/, '').slice(-4)}`
}

/** The headers that a receiver verifies (Standard Webhooks 1.0), with one signature for each secret, newest first. */
export function signatureHeaders(
  secrets: readonly string[],
  { id, seconds, body }: { id: string; seconds: number; body: string },
) {
  const sign = (secret: string) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
  }
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map(sign).join(' '),
  }
}
