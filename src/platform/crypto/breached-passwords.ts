import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Platform, perPlatform } from '../platform.ts'
import { normalizePassword } from './password-format.ts'

/** Bytes of SHA-256 stored for each listed password. A false positive has a probability of 5 in 10^8. */
const ENTRY_BYTES = 5

// A common password followed by a year or an exclamation mark is still among the first guesses. A common word followed
// by a long number, or a phrase, is not.
const TAIL = /^(.{4,}?)(\d{0,4}[!?.*@#$]?)$/su

const list = perPlatform(() => readFile(new URL('./breached-passwords.bin', import.meta.url)))

/** Whether a password is listed, or is a listed password followed by a few digits and a punctuation mark. */
export async function findBreached(platform: Platform, password: string): Promise<'listed' | 'common_word' | null> {
  const entries = await list(platform)
  const text = foldPassword(password)
  if (isListed(entries, text)) return 'listed'
  return stemsOf(text).some((stem) => isListed(entries, stem)) ? 'common_word' : null
}

/** Builds the list's file: the sorted, truncated digests of these passwords. */
export function makeBreachedList(passwords: string[]): Buffer {
  const entries = new Set(passwords.map((password) => digest(foldPassword(password)).toString('hex')))
  return Buffer.from([...entries].sort().join(''), 'hex')
}

/** Ignores case, because attackers try both. */
function foldPassword(password: string): string {
  return normalizePassword(password).toLowerCase()
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, ENTRY_BYTES)
}

/** Variants of the text with more and more of its tail removed, because the common part may itself end in digits. */
function stemsOf(text: string): string[] {
  const [, shortest = text, tail = ''] = TAIL.exec(text) ?? []
  return Array.from(tail, (_, at) => shortest + tail.slice(0, at))
}

function isListed(entries: Buffer, text: string): boolean {
  const wanted = digest(text)
  let low = 0
  let high = entries.length / ENTRY_BYTES
  while (low < high) {
    const middle = (low + high) >> 1
    const at = middle * ENTRY_BYTES
    const order = entries.compare(wanted, 0, ENTRY_BYTES, at, at + ENTRY_BYTES)
    if (order === 0) return true
    if (order < 0) low = middle + 1
    else high = middle
  }
  return false
}
