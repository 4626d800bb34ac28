import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Platform, perPlatform } from '../../platform/platform.ts'
import { normalizePassword } from './hash.ts'

/** Bytes of SHA-256 kept of each listed password: a password that is not listed is found with a chance of 5 in 10^8. */
const ENTRY_BYTES = 5

// A common password with a year or an exclamation mark after it is still one of the first guesses. Not more than this:
// a common word and a long number, or a phrase, are not.
const TAIL = /^(.{4,}?)(\d{0,4}[!?.*@#$]?)$/su

const list = perPlatform(() => readFile(new URL('./breached-passwords.bin', import.meta.url)))

/** What the list knows of a password: it is on it, or it is one of it with a few digits and a sign appended. */
export async function findBreached(platform: Platform, password: string): Promise<'listed' | 'common_word' | null> {
  const entries = await list(platform)
  const text = foldPassword(password)
  if (isListed(entries, text)) return 'listed'
  return stemsOf(text).some((stem) => isListed(entries, stem)) ? 'common_word' : null
}

/** The list's file: the sorted beginnings of the digests of these passwords. */
export function makeBreachedList(passwords: string[]): Buffer {
  const entries = new Set(passwords.map((password) => digest(foldPassword(password)).toString('hex')))
  return Buffer.from([...entries].sort().join(''), 'hex')
}

/** Upper and lower case are one: guessing tries both. */
function foldPassword(password: string): string {
  return normalizePassword(password).toLowerCase()
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, ENTRY_BYTES)
}

/** The text without its tail, the tail taken off digit by digit: the common part may end in digits itself. */
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
