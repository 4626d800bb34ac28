import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { untilWaiting } from '../../../../test/in-order.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { person, RULES, signInAs, workOfOrganization } from '../../../../test/people/federation.ts'
import { newEmail, newUser } from '../../../../test/people/people.ts'
import { newId } from '../../../platform/ids.ts'
import type { TxWork } from '../../../platform/work.ts'
import { unlinkIdentity } from './identities.ts'

// If a link or its connection changes after a sign-in has read it, the sign-in fails.

const app = await startApp()
const tenant = await app.tenant()
const { platform } = app.app
const { db } = platform
const subOrgId = await tenant.organization()
await newUser(tenant, { subOrgId })
const work = await workOfOrganization(app, subOrgId)

/** A person who has signed in once. */
async function linked(begun: Parameters<typeof signInAs>[3] = {}) {
  const ada = person({ email: newEmail(), emailVerified: true })
  await signInAs(work, ada, RULES, begun)
  const identities = db.selectFrom('identities').select(['id', 'user_id']).where('subject', '=', ada.subject)
  const { id, user_id: userId } = await identities.executeTakeFirstOrThrow()
  return { ada, identity: { id, userId } }
}

/**
 * Makes a change while a request waits for the table. Returns the result that the application gets from the request.
 */
async function changeDuring<T>(table: Table, request: () => Promise<T>, change: (work: TxWork) => Promise<unknown>) {
  const { came } = await platform.tx(async (db) => {
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(db)
    const came = request()
    await untilWaiting(platform, 1)
    await change({ ...work, db })
    return { came }
  })
  return came
}

type Table = 'users' | 'exchange_codes' | 'organizations'

async function statesOf(userId: string) {
  const rows = await db.selectFrom('sessions').select('revoked_at').where('user_id', '=', userId).execute()
  return rows.map(({ revoked_at }) => (revoked_at === null ? 'live' : 'ended'))
}

const exchange = (code: string | undefined) => tenant.post('/v1/auth/token/exchange', { subOrgId, code })

test('a sign-in that has read a link before it was removed, and its user after, gives no session', async () => {
  const { ada, identity } = await linked()
  const signIn = () => signInAs(work, ada)
  const came = await changeDuring('organizations', signIn, (work) => unlinkIdentity(work, identity))
  expect(came).toMatchObject({ error: 'expired' })
  expect(await statesOf(identity.userId)).toEqual(['ended'])
})

test('a code is not written once the link is removed', async () => {
  const { ada, identity } = await linked()
  const signIn = () => signInAs(work, ada, RULES, { responseMode: 'code' })
  const came = await changeDuring('exchange_codes', signIn, (work) => unlinkIdentity(work, identity))
  expect(came).toMatchObject({ error: 'expired' })
  expect(await statesOf(identity.userId)).toEqual(['ended'])
})

test('a sign-in by a code is a use of the link', async () => {
  const { ada, identity } = await linked()
  await app.advance(60)
  const { code } = await signInAs(work, ada, RULES, { responseMode: 'code' })
  succeeded(await exchange(code))
  const { identities } = succeeded(await tenant.get(`/v1/users/${identity.userId}/identities?subOrgId=${subOrgId}`))
  expect(Date.parse(identities[0].lastUsedAt) - Date.parse(identities[0].createdAt)).toBeGreaterThan(59_000)
  await app.advance(-60)
})

const connection = () => ({ method: 'sso', source: newId() }) as const

const switchedOff = async ({ db }: TxWork, id: string) => {
  await db.updateTable('sso_connections').set({ status: 'testing' }).where('id', '=', id).execute()
}

test.for([
  ['a connection', connection, switchedOff],
  [
    'a provider',
    () => ({ method: 'social', source: 'github' }) as const,
    async ({ db }: TxWork, provider: string) => {
      await db.updateTable('social_providers').set({ enabled: false }).where('provider', '=', provider).execute()
    },
  ],
] as const)('%s that is switched off while it answers lets nobody in', async ([, source, switchOff]) => {
  const at = source()
  const { ada, identity } = await linked(at)
  const { code } = await signInAs(work, ada, RULES, { ...at, responseMode: 'code' })
  const signIn = () => signInAs(work, ada, RULES, at)
  const came = await changeDuring('users', signIn, (work) => switchOff(work, at.source))
  expect(came).toMatchObject({ error: 'expired' })
  // The code still exists, as if it had been written after the connection's codes were deleted.
  expect(await exchange(code)).toMatchObject({ status: 400, body: { code: 'code_invalid' } })
  expect(await statesOf(identity.userId)).toEqual(['live'])
})

test.for(['query', 'code'] as const)(
  'nobody is linked to a connection that was deleted meanwhile (%s)',
  async (mode) => {
    const at = connection()
    await linked(at)
    const [known, newcomer] = [await newUser(tenant, { subOrgId }), newEmail()]
    for (const email of [known.email, newcomer]) {
      const ada = person({ email, emailVerified: true })
      const signIn = () => signInAs(work, ada, RULES, { ...at, responseMode: mode })
      const came = await changeDuring('users', signIn, async ({ db }) => {
        await db.deleteFrom('sso_connections').where('id', '=', at.source).execute()
      })
      expect(came).toMatchObject({ error: 'connection_not_active' })
      expect(await db.selectFrom('identities').select('id').where('subject', '=', ada.subject).execute()).toEqual([])
    }
    expect(await db.selectFrom('users').select('id').where('email', '=', newcomer).execute()).toEqual([])
  },
)

test('a connection is deleted with the link that is being made to it', async () => {
  const at = connection()
  await linked(at)
  const [known, newcomer] = [await newUser(tenant, { subOrgId }), newEmail()]
  for (const email of [known.email, newcomer]) {
    const ada = person({ email, emailVerified: true })
    const { signedIn, deleted } = await platform.tx(async (db) => {
      // Users can still be read, so the sign-in proceeds until it writes.
      await sql`lock table users in share row exclusive mode`.execute(db)
      const signedIn = signInAs(work, ada, RULES, at)
      await untilWaiting(platform, 1)
      const deleted = tenant.delete(`/v1/sso/connections/${at.source}?subOrgId=${subOrgId}`)
      await untilWaiting(platform, 2)
      return { signedIn, deleted }
    })
    const [{ directory_user_id }, { status }] = await Promise.all([signedIn, deleted])
    expect([directory_user_id, status]).toEqual([expect.any(String), 200])
    expect(await db.selectFrom('identities').select('id').where('source', '=', at.source).execute()).toEqual([])
  }
})
