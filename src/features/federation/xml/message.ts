import { inflateRawSync } from 'node:zlib'
import { readXml, type XmlBounds, type XmlElement, XmlError } from './read.ts'
import { XmlRefusal } from './refusal.ts'

/** The largest form that is taken at all. */
export const FORM_LIMIT_BYTES = 256 * 1024

/**
 * Bounds for short messages. A signature may cover all that is parsed, so low bounds limit the work of digesting it.
 */
export const SHORT_MESSAGE: XmlBounds = { maxElements: 100, maxAttributes: 500, allowComments: false }

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** A message: its text, and what it says before any signature was looked at. */
export interface Message {
  text: string
  root: XmlElement
}

/** Reads what a form brought (SAML bindings §3.5.4): Base64 of UTF-8. Throws XmlRefusal. */
export function readPosted(value: string, bounds?: XmlBounds): Message {
  return readMessage(decode(value), bounds)
}

/** Reads what a query brought (SAML bindings §3.4.4.1): the same, deflated. Throws XmlRefusal. */
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

/** Reads the text of a message, also of one that came encrypted. Throws XmlRefusal. */
export function parseMessage(text: string, bounds?: XmlBounds): Message {
  try {
    return { text, root: readXml(text, bounds) }
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    throw new XmlRefusal('malformed', `The message is not XML as messages have it: ${error.message}.`)
  }
}

/** Throws XmlRefusal for what is not UTF-8. */
export function readUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new XmlRefusal('malformed', 'The message is not UTF-8.')
  }
}
