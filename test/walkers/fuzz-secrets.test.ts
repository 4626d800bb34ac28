import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ImportedHashType, importedHashTypes } from '../../src/platform/crypto/password-format.ts'
import { type Reply, startApp } from '../harness.ts'
import { linkTypes, mailLinkTo } from '../people/mailed-links.ts'
import { newEmail } from '../people/people.ts'
import { makeWorld } from './world.ts'

// Malformed user input and mail content: passwords, addresses, tokens, hashes of an import. No input causes an internal
// error, and none gives access that it should not.

const app = await startApp()
const tenant = await app.tenant()
const world = await makeWorld(app, tenant)
const { scoped, ids } = world
await scoped.patch('/v1/auth/settings', {
  lockout_max_attempts: 100,
  open_signup_default: true,
  sign_in_rate_limit_per_minute: 10_000,
})

/** Any string, even with lone surrogates. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 140 }),
  fc.string({ unit: 'binary', maxLength: 140 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('\ud800', '\u0000', '\u202e', 'ﷺ'.repeat(128), '\u0301'.repeat(128), '𝕬'.repeat(64), 'İ'.repeat(128)),
)
const password = fc.oneof(
  text,
  text.map((tail) => `a long enough ${tail}`),
  fc.string({ maxLength: 5000 }),
)
const address = fc.oneof(
  fc.emailAddress(),
  text.map((local) => `${local}@example.com`),
  text.map((domain) => `ada@${domain}`),
  fc.constantFrom(world.passwordEmail.toUpperCase(), ` ${world.passwordEmail}\n`, `"a b"@example.com`, 'a@xn--'),
)

function assertOurs(reply: Reply): void {
  expect(reply.status, reply.text).toBeLessThan(500)
  expect(reply.headers.get('content-type')).toMatch(/^application\/(problem\+)?json/)
}

test('no password is an error of ours, and each that is taken signs in', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(password, async (chosen) => {
      // Of sixty notices an hour.
      await app.advance(61)
      const set = await scoped.put(`/v1/users/${ids.passwordUser}/password`, { password: chosen })
      const { passwordEmail: email } = world
      const login = await scoped.post('/v1/auth/login/password', { email, password: chosen })
      for (const reply of [set, login]) assertOurs(reply)
      expect([200, 400, 422]).toContain(set.status)
      if (set.status === 200) expect(login.status, JSON.stringify(chosen)).toBe(200)
    }),
    { numRuns: 80 },
  )
})

test('no address and no password of a stranger is an error of ours', async () => {
  const methods = fc.constantFrom(
    '/v1/auth/login/password',
    '/v1/auth/signup/password',
    '/v1/auth/signup',
    '/v1/auth/login/magic-link/send',
    '/v1/auth/password/reset/send',
    '/v1/auth/signup/authenticate-email/send',
    '/v1/users/invites',
  )
  await fc.assert(
    fc.asyncProperty(methods, address, password, async (path, email, chosen) => {
      const needsPassword = path.endsWith('/password')
      assertOurs(await scoped.post(path, { email, ...(needsPassword ? { password: chosen } : {}) }))
    }),
    { numRuns: 300 },
  )
})

const tokens = [
  ...[
    ids.magicLink,
    ids.resetLink,
    ids.verificationLink,
    ids.signupLink,
    ids.inviteToken,
    ids.unlockLink,
    ids.unknownSignInLink,
  ],
  ids.exchangeCode,
]

/** A token that is almost right, but never right. */
const twisted = fc
  .tuple(fc.constantFrom(...tokens), fc.nat(), fc.oneof(text, fc.constantFrom('', 'A', '0', '%00', ' ')))
  .map(([token, at, put]) => token.slice(0, at % token.length) + put + token.slice((at % token.length) + 1))
  .filter((token) => !tokens.includes(token))

test('no token is an error of ours, and none that was not mailed opens anything', async () => {
  const { linkEmail, passwordEmail, newcomerEmail, email } = world
  const chosen = 'a quite different sentence'
  const spend = fc.constantFrom<(token: string) => Promise<Reply>>(
    (token_hash) => scoped.post('/v1/auth/login/magic-link/verify', { email: linkEmail, token_hash }),
    (token_hash) => scoped.post('/v1/auth/email/verify', { email: linkEmail, token_hash }),
    (token_hash) =>
      scoped.post('/v1/auth/password/reset/confirm', { email: passwordEmail, token_hash, password: chosen }),
    (token_hash) => scoped.post('/v1/auth/signup/authenticate-email/verify', { email: newcomerEmail, token_hash }),
    (token) => scoped.post('/v1/auth/invite/accept', { token, password: chosen }),
    (token_hash) => scoped.post('/v1/auth/unlock', { email, token_hash }),
    (token_hash) => scoped.post('/v1/auth/devices/disown', { email, token_hash }),
    (code) => scoped.post('/v1/auth/token/exchange', { code }),
  )
  await fc.assert(
    fc.asyncProperty(spend, twisted, async (send, token) => {
      const reply = await send(token)
      assertOurs(reply)
      expect(reply.status, token).toBe(400)
    }),
    { numRuns: 300 },
  )
})

const links = await Promise.all(linkTypes.map((type) => mailLinkTo(app, tenant, type)))

test('nothing in the address or the form of a link’s page is an error of ours', async () => {
  const field = fc.constantFrom('token_hash', 'email', 'type', 'password', 'other')
  const changes = fc.dictionary(field, text, { minKeys: 1, maxKeys: 3 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...links), changes, async ({ link }, changed) => {
      const { token_hash, email, type } = link
      const fields = new URLSearchParams({ token_hash, email, type, ...changed })
      const shown = await fetch(`${app.baseUrl}/auth/link?${fields}`)
      const form = { method: 'POST', body: fields, redirect: 'manual' as const }
      const pressed = await fetch(`${app.baseUrl}/auth/link`, form)
      for (const page of [shown, pressed]) expect(page.status, await page.text()).toBeLessThan(500)
    }),
    { numRuns: 300 },
  )
})

/** A hash of each kind, as other systems export it; of the password `password` or of another. */
const hashes: Record<ImportedHashType, string> = {
  bcrypt: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
  argon2: '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8',
  argon2id: '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  scrypt:
    'scrypt$16384$seasalt$8$5$ECMIUp+LMxMSK8xB/IVyba+KYGTI7FTnet025q/1f/vBAVnnP3hdYqJuRi+mJn6ji6ze3Fbb7JEFPKGpuEf5vw==',
  'firebase-scrypt':
    '$firebase-scrypt$mem_cost=14,rounds=8,salt_separator=Bw==,signer_key=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
  pbkdf2: '$pbkdf2$4096$c2FsdA$SwB5AbdlSJq-rUnZJvch0GWkKcE',
  ssha: '{SSHA}Q3Ex6d16a3HC3jPfnRjgR54iOYNwZXBwZXIwMQ==',
}

test('no hash of an import is an error of ours, nor the sign-in after it', { timeout: 120_000 }, async () => {
  const piece = fc.oneof(fc.constantFrom('', '$', '=', ',', '/', '0', '9', '99999999999', '-1', 'p=0', '='), text)
  const hash = fc
    .tuple(fc.constantFrom(...importedHashTypes), fc.constantFrom(...importedHashTypes), fc.nat(), piece)
    .map(([type, of, at, put]) => {
      const whole = hashes[of]
      return { type, hash: whole.slice(0, at % whole.length) + put + whole.slice((at % whole.length) + 1) }
    })
  await fc.assert(
    fc.asyncProperty(hash, async (given) => {
      const email = newEmail()
      const user = { email, passwordHash: given.hash, passwordHashType: given.type }
      const reply = await scoped.put('/v1/users', { users: [user] })
      assertOurs(reply)
      const login = await scoped.post('/v1/auth/login/password', { email, password: 'any password' })
      assertOurs(login)
      expect(login.status, JSON.stringify(given)).toBe(401)
    }),
    { numRuns: 150 },
  )
})
