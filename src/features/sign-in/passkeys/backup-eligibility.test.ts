import { expect, test } from 'vitest'
import { type Reply, startApp, until } from '../../../../test/harness.ts'
import { type Answering, newPasskey } from '../../../../test/people/authenticator.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { PAGE, register } from '../../../../test/people/passkeys.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { bearing, ownWorld, signedIn } from '../../../../test/walkers/own-world.ts'

// A passkey that becomes eligible for backup (syncing) is accepted and recorded. One that becomes ineligible is
// refused.

const app = await startApp()
const tenant = await app.tenant()
const second = await startSecondApp(app)
const OPTIONS = '/v1/auth/login/passkey/options'
const VERIFY = '/v1/auth/login/passkey/verify'
const SYNCED = { eligible: true, state: true }
const LOCAL = { eligible: false, state: false }

/**
 * With `isShared`, a user elsewhere has the same passkey, so that a sign-in without an organization returns a
 * discovery token.
 */
async function holder(isShared = false) {
  const world = await ownWorld(app, tenant)
  const person = await signedIn(world)
  const passkey = newPasskey()
  const { subOrgId, id: userId, email } = person
  if (isShared) {
    const elsewhere = await tenant.organization()
    const { user } = succeeded(await tenant.post('/v1/users', { subOrgId: elsewhere, email }))
    succeeded(await register(tenant, { subOrgId: elsewhere, userId: user.id }, passkey, { backup: LOCAL }))
  }
  const { credential } = succeeded(await register(tenant, { subOrgId, userId }, passkey, { backup: LOCAL }))
  return { subOrgId, userId, email, person, passkey, credential }
}

type Holder = Awaited<ReturnType<typeof holder>>

const shown = async ({ subOrgId, userId }: Holder) => {
  const { credentials } = succeeded(await tenant.get(`/v1/webauthn/credentials?subOrgId=${subOrgId}&userId=${userId}`))
  return credentials[0]
}

async function login(who: Holder, how: Partial<Answering>, body: object): Promise<Reply> {
  const { options, challengeId } = succeeded(await tenant.post(OPTIONS, body))
  const credential = who.passkey.use(options, { origin: PAGE, ...how })
  return tenant.post(VERIFY, { ...body, challengeId, credential })
}

const WAYS: [string, (who: Holder, how: Partial<Answering>) => Promise<Reply>][] = [
  ['a sign-in', (who, how) => login(who, how, { subOrgId: who.subOrgId, email: who.email })],
  ['a sign-in without an organization', (who, how) => login(who, how, {})],
  [
    'a discovery',
    async (who, how) => {
      const found = await login(who, how, {})
      const { discovery_token } = found.body
      if (!discovery_token) return found
      return tenant.post('/v1/auth/discovery/exchange', { subOrgId: who.subOrgId, discovery_token })
    },
  ],
  [
    'a step-up',
    async ({ person, passkey }, how) => {
      const { options, challengeId } = succeeded(await person.me.post('/v1/me/step-up', { method: 'passkey' }))
      const credential = passkey.use(options, { origin: PAGE, ...how })
      return person.me.post('/v1/me/step-up/verify', { challengeId, credential })
    },
  ],
]

test.each(WAYS)('%s shows that a passkey may be synced by now, once and for all', async (way, use) => {
  const who = await holder(way === 'a discovery')
  const before = await shown(who)
  expect([before.deviceType, before.backedUp]).toEqual(['singleDevice', false])
  const updates = async () =>
    (await app.events({ accountId: tenant.accountId, type: 'passkey.updated' })).filter(
      ({ target_id }) => target_id === who.credential.id,
    )
  succeeded(await use(who, { backup: LOCAL }))
  expect(await updates()).toEqual([])
  for (const _ of [1, 2]) succeeded(await use(who, { backup: SYNCED }))
  const after = await shown(who)
  expect([after.deviceType, after.backedUp]).toEqual(['multiDevice', true])
  expect(await updates()).toMatchObject([
    {
      organization_id: who.subOrgId,
      data: { deviceType: 'multiDevice', backedUp: true },
      previous: { deviceType: 'singleDevice', backedUp: false },
    },
  ])
  const refused = await use(who, { backup: LOCAL })
  expect([refused.status, refused.body.code]).toEqual([401, 'passkey_invalid'])
  expect(await shown(who)).toEqual(after)
  expect(await updates()).toHaveLength(1)
})

/** Runs `ask` while another transaction locks the user, until `count` statements wait for that lock. */
async function whileHeld<T>(userId: string, count: number, ask: () => Promise<T>): Promise<T> {
  const { database } = app.app.platform
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    await client.query('select from users where id = $1 for update', [userId])
    const asked = ask()
    await until(async () => {
      const { rows } = await database.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rows.length >= count
    }).finally(() => client.query('commit'))
    return await asked
  } finally {
    client.release()
  }
}

const PAIRS: [string, string][] = [
  ['a sign-in', 'a sign-in'],
  ['a sign-in', 'a step-up'],
  ['a step-up', 'a step-up'],
]

test.each(PAIRS)('%s and %s at once, in two processes, record that a passkey became eligible once', async (...ways) => {
  const who = await holder()
  const { subOrgId, email, passkey, person } = who
  const login = { subOrgId, email }
  const stepUp = { method: 'passkey' }
  const start = async (way: string) => {
    const isLogin = way === 'a sign-in'
    const begun = isLogin ? await tenant.post(OPTIONS, login) : await person.me.post('/v1/me/step-up', stepUp)
    const { options, challengeId } = succeeded(begun)
    const answer = { challengeId, credential: passkey.use(options, { origin: PAGE, backup: SYNCED }) }
    return (n: number) => {
      if (isLogin) return (n ? second.as(tenant.key) : tenant).post(VERIFY, { ...login, ...answer })
      return (n ? bearing(second, person.session.access_token) : person.me).post('/v1/me/step-up/verify', answer)
    }
  }
  const sends = [await start(ways[0]), await start(ways[1])]
  const replies = await whileHeld(who.userId, 2, () => Promise.all(sends.map((send, n) => send(n))))
  expect(replies.map(({ status }) => status)).toEqual([200, 200])
  expect((await shown(who)).deviceType).toBe('multiDevice')
  const updated = await app.events({ accountId: tenant.accountId, type: 'passkey.updated' })
  expect(updated.filter(({ target_id }) => target_id === who.credential.id)).toHaveLength(1)
})

test('the reason of the refusal is told to events alone, and two at once leave it synced', async () => {
  const who = await holder()
  const body = { subOrgId: who.subOrgId, email: who.email }
  const replies = await Promise.all([SYNCED, LOCAL, SYNCED, LOCAL].map((backup) => login(who, { backup }, body)))
  expect(replies.map(({ status }) => status).filter((status) => status === 200).length).toBeGreaterThanOrEqual(2)
  expect((await shown(who)).deviceType).toBe('multiDevice')
  await login(who, { backup: LOCAL }, body)
  const failed = await app.events({ accountId: tenant.accountId, type: 'auth.login.failed' })
  expect(failed.at(-1)).toMatchObject({
    data: { method: 'passkey', reason: 'backup_eligibility', passkey_id: who.credential.id },
  })
})

test('the counter still has to grow where a passkey becomes one that may be synced', async () => {
  const world = await ownWorld(app, tenant)
  const person = await signedIn(world)
  const passkey = newPasskey()
  const { subOrgId, id: userId, email } = person
  const made = await register(tenant, { subOrgId, userId }, passkey, { backup: LOCAL, counter: 5 })
  const who = { subOrgId, userId, email, person, passkey, credential: succeeded(made).credential }
  const body = { subOrgId, email }
  expect((await login(who, { backup: SYNCED, counter: 5 }, body)).status).toBe(401)
  expect((await shown(who)).deviceType).toBe('singleDevice')
  succeeded(await login(who, { backup: SYNCED, counter: 6 }, body))
  succeeded(await login(who, { backup: SYNCED, counter: 2 }, body))
})
