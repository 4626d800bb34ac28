import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { hashPurpose, openKeyring } from './keyring.ts'
import { associatedData, type SealedPlace } from './secret-box.ts'
import { keyedHash } from './tokens.ts'

const app = await startApp()
const { db, keyring } = app.app.platform
const key = createSecretKey(Buffer.alloc(32, 7))
const hex = (...parts: string[]) => keyedHash(key, ...parts).toString('hex')

test('a keyed hash is HMAC-SHA256 over its parts, each after its length in bytes', () => {
  // Computed with OpenSSL: printf '2:ab1:c' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0707…
  expect(hex('ab', 'c')).toBe('62ed0782f6d077e128a145f4d2882e77aa8e0f253edd54108fe09c574f74f71e')
  expect(hex('ä', '')).toBe('699ffb73aa746c5e755e9bf2fedba1eb7a8f4e61cf2fe1dceaea5a8bc6217552')
})

test('no two lists of parts have the same keyed hash, though they are the same when joined', () => {
  const lists = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', ''], ['', 'abc'], ['2:ab1:c'], ['ab1:c'], ['ab', 'c', '']]
  expect(new Set(lists.map((list) => hex(...list))).size).toBe(lists.length)
})

test('each purpose of a hash has a key of its own', () => {
  const [one, two] = [hashPurpose('test-one'), hashPurpose('test-two')]
  const hashes = [one, two].map((purpose) => keyedHash(keyring.hashKey(purpose), 'same').toString('hex'))
  expect(new Set(hashes).size).toBe(2)
  expect(keyedHash(keyring.hashKey(one), 'same').toString('hex')).toBe(hashes[0])
})

const accountId = (await app.tenant()).accountId
const place: SealedPlace = { table: 'secrets', column: 'value_sealed', row: 'a1', accountId }

test('a sealed value opens in its place, and in no other', async () => {
  const sealed = await keyring.seal(place, 'the secret')
  expect(await keyring.open(place, sealed)).toBe('the secret')
  const elsewhere: SealedPlace[] = [
    { ...place, table: 'others' },
    { ...place, column: 'other_sealed' },
    { ...place, row: 'a2' },
    { ...place, accountId: null },
    { ...place, accountId: (await app.tenant()).accountId },
    // The same text, split at another position.
    { ...place, table: 'secret', column: 'svalue_sealed' },
    { ...place, column: 'value_seale', row: 'da1' },
  ]
  for (const other of elsewhere) await expect(keyring.open(other, sealed), JSON.stringify(other)).rejects.toThrow()
})

test('no two places have the same associated data, though they are the same when joined', () => {
  const places: SealedPlace[] = [
    { table: 'ab', column: 'c', row: 'd', accountId: null },
    { table: 'a', column: 'bc', row: 'd', accountId: null },
    { table: 'ab', column: 'cd', row: '', accountId: null },
    { table: 'ab', column: 'c', row: '', accountId: 'd' },
  ]
  expect(new Set(places.map((each) => associatedData(each).toString())).size).toBe(places.length)
})

test('a sealed value that was changed in any byte does not open', async () => {
  const sealed = await keyring.seal(place, 'the secret')
  const [version = '', id = '', body = ''] = sealed.split('.')
  const bytes = Buffer.from(body, 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    await expect(keyring.open(place, `${version}.${id}.${changed.toString('base64url')}`)).rejects.toThrow()
  }
  for (const cut of [bytes.subarray(0, -1), bytes.subarray(0, 20), Buffer.alloc(0)])
    await expect(keyring.open(place, `${version}.${id}.${cut.toString('base64url')}`)).rejects.toThrow()
})

test('a data key that is put in the place of another opens nothing', async () => {
  const [mine, theirs] = [await app.tenant(), await app.tenant()]
  const sealedPlaceOf = (account: string) => ({ ...place, accountId: account, row: randomBytes(4).toString('hex') })
  const own = sealedPlaceOf(mine.accountId)
  const sealed = await keyring.seal(own, 'the secret')
  await keyring.seal(sealedPlaceOf(theirs.accountId), 'another')
  const wrappedOf = async (account: string) =>
    db.selectFrom('data_keys').select(['id', 'wrapped']).where('account_id', '=', account).executeTakeFirstOrThrow()
  const [kept, stranger] = [await wrappedOf(mine.accountId), await wrappedOf(theirs.accountId)]
  const reopened = () => openKeyring(db, [app.masterKey])
  expect(await (await reopened()).open(own, sealed)).toBe('the secret')
  await db.updateTable('data_keys').set({ wrapped: stranger.wrapped }).where('id', '=', kept.id).execute()
  // The tampered key is refused before anything is opened with it.
  await expect((await reopened()).seal(own, 'more')).rejects.toThrow()
})
