import { createHmac, createSecretKey } from 'node:crypto'

/** HMAC-SHA256 as hex, with a key of its own for what the limits store. As text: a Buffer costs half as much again. */
export type KeyedHash = (purpose: string, text: string) => string

/** `key` is hex. */
export function makeKeyedHash(key: string): KeyedHash {
  const secret = createSecretKey(key, 'hex')
  return (purpose, text) => createHmac('sha256', secret).update(`${purpose}:${text}`).digest('hex')
}
