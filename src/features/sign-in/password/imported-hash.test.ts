import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { parseImportedHash } from '../../../platform/crypto/password-cost.ts'
import { type ImportedHashType, importedHashTypes } from '../../../platform/crypto/password-format.ts'
import { needsRehash, verifyPassword } from './hash.ts'

const { app } = await startApp({ costlyHashes: true })
const hasher = { platform: app.platform, directory: { id: 'any' } }
// The default limit of a deployment.
const LIMIT = 1024
const lowest = { memoryKib: 19_456, iterations: 2, parallelism: 1 }

// Sources: RFC 7914 §12 and §11 (which writes the same hashes in hexadecimal), RFC 6070, the argon2 reference's test.c
// (argon2d: OpenSSL), crypt_blowfish's tests, Django's own tests, github.com/firebase/scrypt, and for ssha `openssl
// dgst`.
const SODIUM = 'cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw'
const NACL = Buffer.from(
  '4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d',
  'hex',
)
const RFC6070 = Buffer.from('4b007901b765489abead49d926f721d065a429c1', 'hex')
const SIGNER_KEY = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=='
const FIREBASE = `$firebase-scrypt$mem_cost=14,rounds=8,salt_separator=Bw==,signer_key=${SIGNER_KEY}$42xEC+ixf3L2lw==$`
const FIREBASE_HASH = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=='

const vectors: [ImportedHashType, string, string][] = [
  ['bcrypt', 'U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['bcrypt', 'U*U', '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['bcrypt', 'U*U', '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['argon2', 'password', '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8'],
  ['argon2', 'password', '$argon2i$m=256,t=2,p=1$c29tZXNhbHQ$/U3YPXYsSb3q9XxHvc0MLxur+GP960kN9j7emXX8zwY'],
  ['argon2', 'password', '$argon2d$v=19$m=256,t=2,p=1$c29tZXNhbHQ$JcTui6RIBUtJ78gE5Hi52CO+H5vS6Z9R1uxAB6OhUB8'],
  ['argon2id', 'password', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
  ['scrypt', 'pleaseletmein', `$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$${SODIUM}`],
  [
    'scrypt',
    'password',
    '$scrypt$ln=10,r=8,p=16$TmFDbA==$/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG/xCSedmDDaxyevuUqD7m2DYMvfoswGQA==',
  ],
  [
    'scrypt',
    'lètmein',
    'scrypt$16384$seasalt$8$5$ECMIUp+LMxMSK8xB/IVyba+KYGTI7FTnet025q/1f/vBAVnnP3hdYqJuRi+mJn6ji6ze3Fbb7JEFPKGpuEf5vw==',
  ],
  ['firebase-scrypt', 'user1password', FIREBASE + FIREBASE_HASH],
  ['firebase-scrypt', 'user1password', FIREBASE + FIREBASE_HASH.replaceAll('/', '_').replaceAll('+', '-')],
  ['pbkdf2', 'password', `$pbkdf2$4096$c2FsdA$${RFC6070.toString('base64url')}`],
  ['pbkdf2', 'Password', `$pbkdf2-sha256$i=80000,l=64$TmFDbA$${NACL.toString('base64').replace(/=+$/, '')}`],
  ['pbkdf2', 'Password', `$pbkdf2-sha256$80000$TmFDbA$${NACL.toString('base64').replaceAll('+', '.')}`],
  ['pbkdf2', 'lètmein', 'pbkdf2_sha256$20000$seasalt2$Flpve/uAcyo6+IFI6YAhjeABGPVbRQjzHDxRhqxewgw='],
  ['ssha', 'correct horse', '{SSHA}Q3Ex6d16a3HC3jPfnRjgR54iOYNwZXBwZXIwMQ=='],
  ['ssha', 'correct horse', '{SSHA256}hgAuUHYNqBKIlfQRNBNv7Ms3PBRJot3wIKQeE3MiAaZwZXBwZXIwMQ=='],
  [
    'ssha',
    'correct horse',
    '{ssha512}YGbzDz3iYSqnDNZ8iDsbfYfufqP3JGGSmomcEnKjch9aSEEmhk1gZYr+cj3dMo6jPIU2mE1mvCn32u2CeeQmrnBlcHBlcjAx',
  ],
]

test.each(vectors)('%s verifies %s by %s', async (type, password, text) => {
  const stored = parseImportedHash(type, text, LIMIT)
  if (!stored) throw new Error('refused')
  expect(await verifyPassword(hasher, stored, password)).toBe(true)
  const isFirst = vectors.find(([other]) => other === type)?.[2] === text
  const odd = isFirst ? [password.toUpperCase().replace('U*U', 'u*u'), '', '\0', 'x'.repeat(5000)] : []
  for (const wrong of [`${password} `, ...odd])
    expect(await verifyPassword(hasher, stored, wrong), wrong.slice(0, 20)).toBe(false)
  expect(needsRehash(stored, lowest)).toBe(true)
})

test('what is stored is read again as itself', () => {
  for (const [type, , text] of vectors) {
    const stored = parseImportedHash(type, text, LIMIT)
    expect(parseImportedHash(type, stored?.hash ?? '', LIMIT)).toEqual(stored)
  }
})

describe('refused, each beside the most that is taken', () => {
  const b = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64').replace(/=+$/, '')
  const bcrypt = (cost: string) => `$2b$${cost}$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`
  const argon2 = (m: number, t: number, p = 1) => `$argon2id$v=19$m=${m},t=${t},p=${p}$${b(16)}$${b(32)}`
  const scrypt = (ln: number, r: number, p: number) => `$scrypt$ln=${ln},r=${r},p=${p}$${b(16)}$${b(32)}`
  const firebase = (memCost: number) => FIREBASE.replace('=14', `=${memCost}`) + FIREBASE_HASH
  const sha512 = (iterations: number) => pbkdf2(iterations, 64).replace('sha256', 'sha512')
  const pbkdf2 = (iterations: number, bytes: number) => `$pbkdf2-sha256$${iterations}$${b(16)}$${b(bytes)}`
  const cases: [ImportedHashType, string, string[]][] = [
    ['bcrypt', bcrypt('12'), [bcrypt('13'), bcrypt('03'), bcrypt('31'), `${bcrypt('10')}=`, bcrypt('10').slice(0, -1)]],
    ['argon2', argon2(262_144, 4), [argon2(262_145, 1), argon2(262_144, 5), argon2(65_536, 0), argon2(64, 1, 17)]],
    ['argon2', argon2(8, 1), [argon2(7, 1), argon2(19_456, 1, 0), argon2(8, 1).replace('v=19', 'v=20')]],
    ['argon2id', argon2(8, 1), [argon2(8, 1).replace('p=1', 'p=1,keyid=YQ'), argon2(8, 1).replace('argon2id', 'x')]],
    [
      'scrypt',
      scrypt(17, 8, 1),
      [scrypt(18, 8, 1), scrypt(17, 8, 2), scrypt(16, 1, 1), scrypt(0, 8, 1), scrypt(99, 8, 1)],
    ],
    ['scrypt', scrypt(15, 1, 1), [scrypt(14, 0, 1), scrypt(14, 8, 0), `scrypt$1000$salt$8$1$${b(64)}`]],
    ['firebase-scrypt', firebase(17), [firebase(18), firebase(14).replace('signer_key=', 'signer_key=AAAA')]],
    ['pbkdf2', pbkdf2(2_048_000, 32), [pbkdf2(2_048_001, 32), pbkdf2(1_024_001, 33), pbkdf2(0, 32), pbkdf2(1, 15)]],
    ['pbkdf2', sha512(819_200), [sha512(819_201)]],
    ['pbkdf2', pbkdf2(1, 16), [pbkdf2(1, 16).replace('sha256', 'md5'), 'pbkdf2_md5$1$salt$AAAAAAAAAAAAAAAAAAAAAA==']],
    ['ssha', `{SSHA}${b(21)}`, [`{SSHA}${b(20)}`, `{SHA}${b(20)}`, `{SSHA256}${b(32)}`, `{SSHA}${b(900)}`]],
  ]
  test.each(cases)('%s %s', (type, taken, refused) => {
    expect(parseImportedHash(type, taken, LIMIT)).not.toBeNull()
    for (const text of refused) expect([text, parseImportedHash(type, text, LIMIT)]).toEqual([text, null])
  })

  test('a hash of one type is not one of another', () => {
    const byType = new Map(vectors.map(([type, , text]) => [type, text]))
    for (const type of importedHashTypes)
      for (const [other, text] of byType)
        if (other !== type && !(type.startsWith('argon2') && other.startsWith('argon2')))
          expect([type, other, parseImportedHash(type, text, LIMIT)]).toEqual([type, other, null])
  })
})

test('whatever is taken can be verified, and nothing else throws', async () => {
  const TRIED = 25
  const taken: { type: ImportedHashType; text: string }[] = []
  const mutation = fc.record({
    vector: fc.constantFrom(...vectors),
    at: fc.nat(200),
    cut: fc.nat(3),
    put: fc.string({ maxLength: 3, unit: fc.constantFrom(...'$,=+/.-_aZ019é\0{}') }),
  })
  fc.assert(
    fc.property(mutation, ({ vector: [type, , text], at, cut, put }) => {
      const changed = text.slice(0, at) + put + text.slice(at + cut)
      if (parseImportedHash(type, changed, LIMIT) && taken.length < TRIED && !/ln=1[5-9]|\$\$1[0-9]\$/.test(changed))
        taken.push({ type, text: changed })
    }),
    { numRuns: 3000 },
  )
  expect(taken.length).toBe(TRIED)
  for (const { type, text } of taken) {
    const stored = parseImportedHash(type, text, LIMIT)
    if (stored) expect(await verifyPassword(hasher, stored, 'surely not'), text).toBe(false)
  }
})
