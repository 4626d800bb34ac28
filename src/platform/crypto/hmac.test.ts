import { createHmac, createSecretKey } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hmacSha256 } from './hmac.ts'

const hex = (text: string) => Buffer.from(text, 'hex')

// RFC 4231 §4, of the cases whose data are text.
const vectors = [
  [hex('0b'.repeat(20)), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [
    Buffer.from('Jefe'),
    'what do ya want for nothing?',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  [
    hex('aa'.repeat(131)),
    'Test Using Larger Than Block-Size Key - Hash Key First',
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
  [
    hex('aa'.repeat(131)),
    'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
    '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
  ],
] as const

describe('HMAC-SHA256', () => {
  test.each(vectors)('case %# of RFC 4231', (key, text, expected) => {
    expect(hmacSha256(createSecretKey(key), text).toString('hex')).toBe(expected)
  })

  test('of any key and any text is what node:crypto makes of them, one after another', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 2500 }),
      fc.string({ maxLength: 100 }),
      fc.constantFrom('', '\ud800', '\u20ac'.repeat(1000), '\u20ac'.repeat(1001), 'a'.repeat(1000)),
    )
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 150 })
    fc.assert(
      fc.property(bytes, fc.array(text, { minLength: 1, maxLength: 5 }), (secret, texts) => {
        const key = createSecretKey(secret)
        const expected = texts.map((text) => createHmac('sha256', key).update(text).digest('hex'))
        expect(texts.map((text) => hmacSha256(key, text).toString('hex'))).toEqual(expected)
      }),
    )
  })
})
