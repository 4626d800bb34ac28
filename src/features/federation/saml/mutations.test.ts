import { expect, test } from 'vitest'
import { encodeMessage, signXml, writeResponse } from '../../../../test/peers/saml-messages.ts'
import { idp, responseOf, signedResponse, verifyPosted } from '../../../../test/people/saml-world.ts'

const CHARACTERS = '<>&"\'/=!-?[]#;: \n\tabcxyzAZ09_.@\u0000\u00e9'

/** Random numbers that are the same in each run (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** Replaces, removes, inserts, doubles or moves a piece. */
function mutate(xml: string, random: (below: number) => number): string {
  const at = random(xml.length)
  const piece = xml.slice(at, at + 1 + random(40))
  const other = random(xml.length)
  const character = CHARACTERS[random(CHARACTERS.length)] ?? ''
  const ways = [
    () => xml.slice(0, at) + character + xml.slice(at + 1),
    () => xml.slice(0, at) + xml.slice(at + piece.length),
    () => xml.slice(0, at) + character + xml.slice(at),
    () => xml.slice(0, at) + piece + xml.slice(at),
    () => xml.slice(0, other) + piece + xml.slice(other),
  ]
  return ways[random(ways.length)]?.() ?? xml
}

const plain = writeResponse(responseOf())

test.each([
  ['assertion is', signedResponse(), 1],
  ['response is', signXml(plain, 'Response', idp), 2],
  ['assertion and response are', signXml(signedResponse(), 'Response', idp), 3],
])(
  'whatever is changed of a response whose %s signed, nobody else signs in by it',
  async (_, xml, seed) => {
    const original = await verifyPosted(encodeMessage(xml))
    expect(original.refused).toBeNull()
    const random = randomFrom(seed)
    const reasons = new Map<string, number>()
    for (let count = 0; count < 600; count++) {
      const changed = mutate(xml, random)
      const { assertion, refused } = await verifyPosted(encodeMessage(changed))
      reasons.set(refused ?? 'accepted', (reasons.get(refused ?? 'accepted') ?? 0) + 1)
      if (assertion) expect(assertion, changed).toEqual(original.assertion)
    }
    // The changes reach the check of the signature, and not only the parser.
    expect(reasons.get('malformed')).toBeGreaterThan(100)
    expect(reasons.get('signature')).toBeGreaterThan(100)
  },
  120_000,
)

test('whatever byte is changed of what is posted, nobody else signs in by it', async () => {
  const posted = encodeMessage(signXml(plain, 'Response', idp))
  const original = await verifyPosted(posted)
  const random = randomFrom(4)
  let refusals = 0
  for (let count = 0; count < 1500; count++) {
    const at = random(posted.length)
    const byte = String.fromCharCode(random(128))
    const { assertion, refused } = await verifyPosted(posted.slice(0, at) + byte + posted.slice(at + 1))
    if (assertion) expect(assertion).toEqual(original.assertion)
    if (refused) refusals++
  }
  expect(refusals).toBeGreaterThan(1000)
}, 120_000)
