import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { workIn } from '../../../../test/work.ts'
import { readImportedHash } from '../../../platform/crypto/imported-password.ts'
import { keyedHash } from '../../../platform/crypto/tokens.ts'
import { newId } from '../../../platform/ids.ts'
import { burn } from '../../../platform/joined/proofs.ts'
import { accountDirectory } from '../../../platform/tenancy/directory.ts'
import { deleteUser, moveUser } from '../../directory/users/changes/changes.ts'
import { hashPassword, needsRehash, verifyNothing, verifyPassword } from './hash.ts'
import { assertNotReused } from './new-password.ts'
import { findPassword, hasPassword, passwordProof, storeImportedHash, storePassword, upgradeHash } from './store.ts'

const { tenant, app } = await startApp({ costlyHashes: true })
const { platform } = app
const hasher = { platform, directory: { id: 'any' } }
const parameters = { memoryKib: 19_456, iterations: 2, parallelism: 1 }
const hash = (password: string) => hashPassword(hasher, password, parameters)

async function makeDirectory() {
  const { accountId, environmentId } = await tenant()
  return accountDirectory(platform, { accountId, environmentId, environmentSlug: 'production' })
}

/** A user in a directory of their own. */
async function start() {
  const directory = await makeDirectory()
  const userId = newId()
  const email = `${userId}@example.com`
  const scope = { directory_id: directory.id, environment_id: directory.environmentId }
  const user = { ...scope, id: userId, email, email_norm: email, source: 'api' }
  await platform.db.insertInto('users').values(user).execute()
  const set = async (password: string, historyKept = 0, mustChange = false) => {
    const hashed = await hash(password)
    await platform.tx((tx) => storePassword(tx, directory, { userId, hashed, historyKept, mustChange }))
    return hashed
  }
  const find = () => findPassword(platform.db, directory, userId)
  const history = async () => {
    const rows = await platform.db.selectFrom('password_history').select('hash').where('user_id', '=', userId).execute()
    return rows.length
  }
  const isReused = (password: string, count: number) =>
    assertNotReused(workIn(platform, directory), { userId, password, count }).then(
      () => false,
      (error) => error.details.extra.reasons[0] === 'reused' && error.definition.code === 'weak_password',
    )
  return { directory, userId, set, find, history, isReused }
}

test('a password is the same however its characters are composed, and nothing else is', async () => {
  const stored = await hash('Ångström ﬁne №1')
  expect(stored.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(await verifyPassword(hasher, stored, 'A\u030angstro\u0308m fine No1')).toBe(true)
  expect(await verifyPassword(hasher, stored, 'Ångström ﬁne №1')).toBe(true)
  for (const wrong of ['Angstrom fine No1', 'ångström fine no1', 'Ångström fine No1 ', '', 'x'.repeat(4000)])
    expect(await verifyPassword(hasher, stored, wrong)).toBe(false)
  expect((await hash('Ångström ﬁne №1')).hash).not.toBe(stored.hash)
})

test('of a request that sets a password nothing is kept that can be guessed faster than the password', async () => {
  const t = await tenant()
  const subOrgId = await t.organization()
  const { id } = (await t.post('/v1/users', { subOrgId, email: 'once@example.com' }, { 'idempotency-key': 'made' }))
    .body.user
  const set = (password: string, mustChange = false) =>
    t.put(`/v1/users/${id}/password`, { subOrgId, password, mustChange }, { 'idempotency-key': 'set' })
  const kept = platform.db.selectFrom('idempotency_keys').select('body_hash')
  const hashOf = async (key: string) => (await kept.where('key', '=', key).executeTakeFirstOrThrow()).body_hash
  const first = await set('correct horse battery')
  expect((await hashOf('set')).toString()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect((await hashOf('made')).length).toBe(32)
  const again = await set('correct horse battery')
  expect([first.status, again.headers.get('idempotent-replayed'), again.text]).toEqual([200, 'true', first.text])
  for (const other of [await set('correct horse batterie'), await set('correct horse battery', true)])
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
  // Stored in the form of the previous release.
  const body = JSON.stringify({ subOrgId, password: 'correct horse battery', mustChange: false })
  const before = keyedHash(platform.keyring.hashKey({ name: 'idempotency' }), `/v1/users/${id}/password`, body)
  await platform.db.updateTable('idempotency_keys').set({ body_hash: before }).where('key', '=', 'set').execute()
  expect((await set('correct horse battery')).headers.get('idempotent-replayed')).toBe('true')
  expect((await set('correct horse batterie')).body.code).toBe('idempotency_key_reused')
})

test('without the key of this deployment a hash verifies nothing', async () => {
  const { hash: text } = await hash('correct horse')
  expect(await verifyPassword(hasher, { hash: text, format: 'imported-argon2' }, 'correct horse')).toBe(false)
})

test('somebody without a password is never let in, and text of any length is taken', async () => {
  for (const password of ['', 'x', '\0', 'x'.repeat(100_000)])
    expect(await verifyNothing(hasher, password, parameters)).toBe(false)
})

test('other parameters ask for another hash, and are kept within bounds', async () => {
  const stored = await hash('correct horse')
  expect(needsRehash(stored, parameters)).toBe(false)
  for (const change of [{ memoryKib: 20_000 }, { iterations: 3 }, { parallelism: 2 }])
    expect(needsRehash(stored, { ...parameters, ...change })).toBe(true)
  const heavier = await hashPassword(hasher, 'correct horse', { memoryKib: 20_000, iterations: 3, parallelism: 2 })
  expect(needsRehash(heavier, { memoryKib: 20_000, iterations: 3, parallelism: 2 })).toBe(false)
  expect([needsRehash(heavier, parameters), await verifyPassword(hasher, heavier, 'correct horse')]).toEqual([
    true,
    true,
  ])
  for (const change of [
    { memoryKib: 19_455 },
    { iterations: 1 },
    { parallelism: 0 },
    { memoryKib: 2 ** 21 },
    { iterations: 2.5 },
  ])
    await expect(hashPassword(hasher, 'x', { ...parameters, ...change })).rejects.toThrow(RangeError)
})

test('a password is stored, replaced and removed, for its user in its directory only', async () => {
  const { directory, userId, set, find } = await start()
  const elsewhere = await makeDirectory()
  expect([await find(), await hasPassword(platform.db, directory, userId)]).toEqual([null, false])
  const first = await set('the first one')
  expect(await find()).toMatchObject({ ...first, must_change: false })
  const second = await set('the second one', 0, true)
  expect(await find()).toMatchObject({ ...second, must_change: true })
  expect(await findPassword(platform.db, elsewhere, userId)).toBeNull()
  expect(await findPassword(platform.db, directory, newId())).toBeNull()
  const stranger = await start()
  await stranger.set('theirs')
  await deleteUser(workIn(platform, directory), userId, { ifMatch: null, force: true })
  expect(await find()).toBeNull()
  expect(await stranger.find()).not.toBeNull()
})

test('the history holds as many as it should, the present one among them', async () => {
  const { directory, userId, set, history, isReused } = await start()
  for (const password of ['one', 'two', 'three', 'four']) await set(password, 3)
  expect(await history()).toBe(2)
  const reused = (count: number) => Promise.all(['one', 'two', 'three', 'four'].map((each) => isReused(each, count)))
  expect(await reused(3)).toEqual([false, true, true, true])
  expect(await reused(2)).toEqual([false, false, true, true])
  expect(await reused(1)).toEqual([false, false, false, true])
  expect(await reused(0)).toEqual([false, false, false, false])
  // A shorter history drops old hashes, and one that is off keeps none.
  await set('five', 2)
  expect([await history(), await isReused('four', 24), await isReused('three', 24)]).toEqual([1, true, false])
  await set('six', 0)
  expect([await history(), await isReused('five', 24)]).toEqual([0, false])
  await set('seven', 2)
  await deleteUser(workIn(platform, directory), userId, { ifMatch: null, force: true })
  expect(await history()).toBe(0)
})

test('of two changes at once both are remembered', async () => {
  const { set, history, isReused, find } = await start()
  await set('the one before', 5)
  await Promise.all([set('the left one', 5), set('the right one', 5)])
  expect([await history(), (await find())?.format]).toEqual([2, 'argon2id'])
  expect(
    await Promise.all(['the one before', 'the left one', 'the right one'].map((each) => isReused(each, 5))),
  ).toEqual([true, true, true])
})

test('an upgrade replaces the hash that was verified, and none that came in between', async () => {
  const { directory, userId, set, find, history } = await start()
  const old = await set('correct horse', 5, true)
  const before = await find()
  const [a, b] = await Promise.all([hash('correct horse'), hash('correct horse')])
  const upgrade = (fresh: typeof a) => upgradeHash(platform.db, directory, { userId, oldHash: old.hash, fresh })
  expect((await Promise.all([upgrade(a), upgrade(b)])).filter(Boolean)).toHaveLength(1)
  const after = await find()
  expect([a.hash, b.hash]).toContain(after?.hash)
  // The password is the same, so nothing but its hash may change.
  expect({ ...after, hash: '' }).toEqual({ ...before, hash: '' })
  expect(await history()).toBe(0)
  const changed = await set('battery staple')
  expect(await upgrade(a)).toBe(false)
  expect((await find())?.hash).toBe(changed.hash)
})

test('the query of a sign-in finds the verified password alone, and waits for a change under way', async () => {
  const { directory, userId, set, find } = await start()
  await set('correct horse')
  const old = await find()
  const ask = (revision = newId()) =>
    burn({ directory, db: platform.db }, passwordProof({ password_revision: revision }), userId)
  expect(await ask(old?.revision)).toBe(true)
  expect(await ask(newId())).toBe(false)
  const fresh = await hash('battery staple')
  const waiting = await platform.tx(async (tx) => {
    await storePassword(tx, directory, { userId, hashed: fresh, historyKept: 0, mustChange: false })
    const asked = ask(old?.revision)
    // Without waiting for the lock, the query would read the old row and accept it.
    expect(await Promise.race([asked, find()])).toMatchObject({ hash: old?.hash })
    return { asked }
  })
  expect([await waiting.asked, await ask((await find())?.revision)]).toEqual([false, true])
})

test('imported hashes are stored together, verified, and brought to our format', async () => {
  const directory = await makeDirectory()
  const imported = readImportedHash('ssha', '{SSHA}Q3Ex6d16a3HC3jPfnRjgR54iOYNwZXBwZXIwMQ==')
  if (!imported) throw new Error('refused')
  const rows = Array.from({ length: 500 }, () => ({ userId: newId(), ...imported }))
  await platform.tx((tx) => storeImportedHash(tx, directory, rows))
  await platform.tx((tx) => storeImportedHash(tx, directory, []))
  const userId = rows[250]?.userId ?? ''
  const stored = await findPassword(platform.db, directory, userId)
  if (!stored) throw new Error('not stored')
  expect([stored, await verifyPassword(hasher, stored, 'correct horse')]).toMatchObject([imported, true])
  expect(
    await upgradeHash(platform.db, directory, { userId, oldHash: stored.hash, fresh: await hash('correct horse') }),
  ).toBe(true)
  const upgraded = await findPassword(platform.db, directory, userId)
  expect(upgraded && [upgraded.format, await verifyPassword(hasher, upgraded, 'correct horse')]).toEqual([
    'argon2id',
    true,
  ])
})

test('a move takes password and history along', async () => {
  const { directory, userId, set, find } = await start()
  const stranger = await start()
  const target = await makeDirectory()
  await set('one', 3)
  const present = await set('two', 3)
  await stranger.set('theirs')
  await moveUser(workIn(platform, directory), userId, { target, ifMatch: null, force: false })
  expect([await find(), await findPassword(platform.db, target, userId)]).toMatchObject([null, present])
  await expect(assertNotReused(workIn(platform, target), { userId, password: 'one', count: 3 })).rejects.toThrow()
  await assertNotReused(workIn(platform, directory), { userId, password: 'one', count: 3 })
  expect(await stranger.find()).not.toBeNull()
})
