import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp, until } from '../../../test/harness.ts'
import { succeeded } from '../../../test/people/factors.ts'
import { newEmail } from '../../../test/people/people.ts'

// A request that has waited for its turn acts with the rights that its caller has by then.

const app = await startApp()
const { platform } = app.app

const countLockWaits = async () =>
  (
    await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
      platform.db,
    )
  ).rows.length

const countClaims = async () =>
  (await sql`select from idempotency_keys where status is null`.execute(platform.db)).rows.length

test.each([
  ['a change of the team', false],
  ['a request with an Idempotency-Key', true],
])('%s is refused if its key was revoked while it waited for a turn', async (_, isIdempotent) => {
  const tenant = await app.tenant()
  const { apiKey, key } = succeeded(await tenant.post('/v1/api-keys', { name: 'Other', scopes: ['*'] }))
  const other = app.as(key)
  const invite = (caller: typeof other, email: string) =>
    caller.post(
      '/v1/members/invites',
      { email, role: 'member' },
      isIdempotent ? { 'idempotency-key': crypto.randomUUID() } : {},
    )
  expect((await invite(other, newEmail())).status).toBe(200)
  const [late, ...earlier] = [newEmail(), newEmail(), ...(isIdempotent ? [newEmail()] : [])]
  const replies = await platform.tx(async (tx) => {
    await sql`select id from accounts where id = ${tenant.accountId} for update`.execute(tx)
    // The requests that have all the turns wait for the lock.
    const waiting = earlier.map((email) => invite(tenant, email))
    await until(async () => (await countLockWaits()) === earlier.length)
    waiting.push(invite(other, late))
    await until(async () => (await countClaims()) === (isIdempotent ? waiting.length : 0))
    // This response shows that the service has looked up the caller of the previous request.
    succeeded(await other.get('/v1/api-keys/current'))
    await app.advance(2)
    succeeded(await tenant.delete(`/v1/api-keys/${apiKey.id}`))
    return waiting
  })
  const answers = await Promise.all(replies)
  expect(answers.map(({ status }) => status)).toEqual([...earlier.map(() => 200), 401])
  expect(answers.at(-1)?.body.code).toBe('api_key_invalid')
  expect(await app.mails(late)).toEqual([])
})
