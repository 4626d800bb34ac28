import { expect, test } from 'vitest'
import { startApp } from '../../../../../test/harness.ts'
import { newPendingUser } from '../../../../../test/people/people.ts'
import { directoryOfOrganization } from '../../../../platform/tenancy/directory.ts'
import { addUsers } from './bulk.ts'

const app = await startApp()
const { platform } = app.app
const t = await app.tenant()
const subOrgId = await t.organization()
const put = (users: object[]) => t.put('/v1/users', { subOrgId, users })

// Hashes from the algorithms' own authors: crypt_blowfish, the argon2 reference, RFC 7914,
// github.com/firebase/scrypt, Django, OpenSSL.
const BCRYPT = '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
const FIREBASE = [
  '$firebase-scrypt$mem_cost=14,rounds=8,salt_separator=Bw==,',
  'signer_key=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  '$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
].join('')
const hashes: [type: string, password: string, hash: string][] = [
  ['bcrypt', 'U*U', BCRYPT],
  ['argon2id', 'password', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
  [
    'scrypt',
    'pleaseletmein',
    '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw',
  ],
  ['firebase-scrypt', 'user1password', FIREBASE],
  ['pbkdf2', 'lètmein', 'pbkdf2_sha256$20000$seasalt2$Flpve/uAcyo6+IFI6YAhjeABGPVbRQjzHDxRhqxewgw='],
  ['ssha', 'correct horse', '{SSHA}Q3Ex6d16a3HC3jPfnRjgR54iOYNwZXBwZXIwMQ=='],
]

const storedOf = async (userId: string) =>
  (await platform.db.selectFrom('password_credentials').selectAll().where('user_id', '=', userId).execute())[0]

test.each(hashes)('a user with a hash of %s signs in, and has one of our own then', async (type, password, hash) => {
  const email = `${type}@example.com`
  const reply = await put([{ email, passwordHash: hash, passwordHashType: type }])
  expect(reply.body, reply.text).toMatchObject({ created: [{ email, status: 'active' }], skipped: [], failed: [] })
  const [user] = reply.body.created
  expect(user.userId).toMatch(/^[0-9a-f-]{36}$/)
  expect((await storedOf(user.id))?.format).not.toBe('argon2id')
  const login = (text: string) => t.post('/v1/auth/login/password', { subOrgId, email, password: text })
  expect((await login('something else')).status).toBe(401)
  const signedIn = await login(password)
  expect(signedIn.status, signedIn.text).toBe(200)
  expect(signedIn.body.session).toMatchObject({ user_id: user.userId, directory_user_id: user.id })
  expect(await storedOf(user.id)).toMatchObject({ format: 'argon2id', must_change: false })
  expect((await login(password)).status).toBe(200)
})

test('a hash that cannot be read fails its row alone, and names the field', async () => {
  const row = (n: number, fields: object) => ({ email: `bad${n}@example.com`, ...fields })
  const { body } = await put([
    row(1, { passwordHash: BCRYPT }),
    row(2, { passwordHash: BCRYPT, passwordHashType: 'md5' }),
    row(3, { passwordHash: BCRYPT, passwordHashType: 'ssha' }),
    row(4, { passwordHash: BCRYPT.replace('$05$', '$31$'), passwordHashType: 'bcrypt' }),
    row(5, { passwordHash: 'x'.repeat(2000), passwordHashType: 'bcrypt' }),
    row(6, { passwordHash: 7, passwordHashType: 'bcrypt' }),
    row(7, { passwordHash: '', passwordHashType: 'bcrypt' }),
    row(8, { passwordHashType: 'bcrypt' }),
    row(9, { passwordHash: null, passwordHashType: null }),
    row(10, { passwordHash: BCRYPT, passwordHashType: 'bcrypt' }),
  ])
  expect(body.failed.map((each: { error: string }) => each.error)).toEqual([
    ...Array.from({ length: 2 }, () => 'invalid_field:passwordHashType'),
    ...Array.from({ length: 6 }, () => 'invalid_field:passwordHash'),
  ])
  expect(body.created).toMatchObject([
    { email: 'bad9@example.com', userId: null },
    { email: 'bad10@example.com', userId: expect.any(String) },
  ])
})

test('whoever is there already keeps their password, and a waiting sign-up gives way', async () => {
  const [there] = (await put([{ email: 'keeps@example.com', passwordHash: BCRYPT, passwordHashType: 'bcrypt' }])).body
    .created
  const before = await storedOf(there.id)
  const pending = 'pending@example.com'
  await newPendingUser(platform.db, t, { subOrgId, email: pending })
  const { body } = await put([
    { email: 'keeps@example.com', passwordHash: hashes[5]?.[2], passwordHashType: 'ssha' },
    { email: pending, passwordHash: BCRYPT, passwordHashType: 'bcrypt' },
  ])
  expect(body.skipped).toEqual([{ email: 'keeps@example.com', reason: 'already_exists' }])
  expect(await storedOf(there.id)).toEqual(before)
  expect((await t.post('/v1/auth/login/password', { subOrgId, email: pending, password: 'U*U' })).status).toBe(200)
})

test('no hash is told: neither in an answer nor in an event nor in the log', async () => {
  const made = await put([
    { email: 'quiet@example.com', passwordHash: FIREBASE, passwordHashType: 'firebase-scrypt' },
    { email: 'quiet2@example.com', passwordHash: FIREBASE, passwordHashType: 'bcrypt' },
  ])
  expect(made.body).toMatchObject({ created: [{}], failed: [{ error: 'invalid_field:passwordHash' }] })
  const listed = await t.get(`/v1/users?subOrgId=${subOrgId}`)
  const recorded = JSON.stringify(await app.events({ accountId: t.accountId }))
  for (const text of [made.text, listed.text, recorded, app.logLines.join('')])
    for (const secret of ['lSrfV15cpx95', 'jxspr8Ki0RYycVU8', '$2b$05$']) expect(text.includes(secret)).toBe(false)
})

test('500 users with passwords are four statements, where some take the place of sign-ups too', async () => {
  const target = await t.organization()
  for (const n of [7, 77]) await newPendingUser(platform.db, t, { subOrgId: target, email: `many${n}@example.com` })
  const directory = await directoryOfOrganization(platform, { ...t, environmentSlug: 'production' }, target)
  const origin = { requestId: null, actor: { type: 'system' as const, id: null }, endUser: noEndUser, recorded: [] }
  const rows = Array.from({ length: 500 }, (_, n) => ({
    email: `many${n}@example.com`,
    passwordHash: BCRYPT,
    passwordHashType: 'bcrypt',
  }))
  let statements = 0
  const outcomes = await platform.tx((tx) =>
    addUsers(
      {
        platform,
        directory,
        origin,
        db: tx.withPlugin({
          transformQuery({ node }) {
            statements++
            return node
          },
          transformResult: async ({ result }) => result,
        }),
      },
      rows,
      { giver: null },
    ),
  )
  expect(outcomes.every(({ outcome }) => outcome === 'created')).toBe(true)
  expect(statements).toBe(4)
  const stored = await platform.db
    .selectFrom('password_credentials')
    .where('directory_id', '=', directory.id)
    .select('user_id')
    .execute()
  expect(stored).toHaveLength(500)
})

const noEndUser = { ip: null, userAgent: null }
