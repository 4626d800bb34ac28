import { inflateRawSync } from 'node:zlib'
import { readXml, type XmlBounds, type XmlElement, XmlError } from './read.ts'
import { XmlRefusal } from './refusal.ts'

/** The largest form that is accepted. */
export const FORM_LIMIT_BYTES = 256 * 1024

/**
 * Limits for short messages. A signature may cover everything that is parsed, so low limits bound the work to digest
 * it.
 */
export const SHORT_MESSAGE: XmlBounds = { maxElements: 100, maxAttributes: 500, allowComments: false }

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** A message: its text, and the parsed document. No signature has been checked yet. */
export interface Message {
  text: string
  root: XmlElement
}

/** Reads a message from a form (SAML bindings §3.5.4): Base64 of UTF-8. Throws XmlRefusal. */
export function readPosted(value: string, bounds?: XmlBounds): Message {
  return readMessage(decode(value), bounds)
}

/** Reads a message from a query (SAML bindings §3.4.4.1): Base64 of deflated UTF-8. Throws XmlRefusal. */
export function readQueried(value: string, bounds?: XmlBounds): Message {
  const deflated = decode(value)
  try {
    return readMessage(inflateRawSync(deflated, { maxOutputLength: FORM_LIMIT_BYTES }), bounds)
  } catch (error) {
    if (error instanceof XmlRefusal) throw error
    throw new XmlRefusal('malformed', 'The message is not deflated, or too large.')
  }
}

function decode(value: string): Buffer {
  const packed = value.replace(/[ \t\r\n]/g, '')
  if (packed.length > FORM_LIMIT_BYTES) throw new XmlRefusal('too_large', 'The message is larger than 256 KB.')
  if (packed.length % 4 !== 0 || !BASE64.test(packed)) throw new XmlRefusal('malformed', 'The message is not Base64.')
  return Buffer.from(packed, 'base64')
}

function readMessage(bytes: Buffer, bounds?: XmlBounds): Message {
  return parseMessage(readUtf8(bytes), bounds)
}

/** Parses the text of a message, or of a decrypted part. Throws XmlRefusal. */
export function parseMessage(text: string, bounds?: XmlBounds): Message {
  try {
    return { text, root: readXml(text, bounds) }
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    throw new XmlRefusal('malformed', `The message is not XML as messages have it: ${error.message}.`)
  }
}

/** Throws XmlRefusal if the bytes are not UTF-8. */
export function readUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new XmlRefusal('malformed', 'The message is not UTF-8.')
  }
}
