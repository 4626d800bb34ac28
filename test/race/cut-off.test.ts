import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { settleCutOffs } from '../../src/features/access/sessions/cut-off-job.ts'
import { startApp, until } from '../harness.ts'
import { newEmail, plantSessions, sessionsIn } from '../people/people.ts'
import { signedInUser } from '../people/sign-in.ts'
import { startProcesses } from './processes.ts'

const app = await startApp()
const { platform } = app.app
const tenant = await app.tenant()
const [other] = await startProcesses(app, 1)
if (!other) throw new Error('No process')
const ending = other.as(tenant.key)

/** Somebody whose session the act that ends it does not come by. */
async function newCrowd(count: number) {
  const subOrgId = await tenant.organization()
  const person = await signedInUser(app, tenant, subOrgId, newEmail())
  // A statement may last three seconds.
  for (let planted = 0; planted < count; planted += 2000)
    await plantSessions(platform.db, person.userId, Math.min(2000, count - planted))
  return { subOrgId, ...person }
}

const endings: [string, (crowd: { subOrgId: string; userId: string }) => Promise<void>][] = [
  [
    'the end of all sessions of a user',
    async ({ subOrgId, userId }) => {
      const reply = await ending.delete(`/v1/users/${userId}/sessions?subOrgId=${subOrgId}`)
      expect(reply.status).toBe(200)
    },
  ],
  [
    'the suspension of an organization',
    async ({ subOrgId }) => {
      for (const status of ['suspended', 'active'])
        expect((await ending.patch(`/v1/organizations/${subOrgId}`, { status })).status).toBe(200)
    },
  ],
]

test.each(endings)(
  'beside %s no refresh succeeds that began after it, and no token outlives it',
  async (_name, end) => {
    for (let round = 0; round < 3; round++) {
      const crowd = await newCrowd(500)
      const { subOrgId } = crowd
      const tokens = [crowd.session.access_token]
      let newest = crowd.session.refresh_token
      let isOver = false
      const refresh = async (): Promise<void> => {
        const beganAfter = isOver
        const reply = await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: newest })
        if (reply.status !== 200) {
          expect(['refresh_token_invalid', 'organization_suspended']).toContain(reply.body.code)
          return isOver ? undefined : refresh()
        }
        expect(beganAfter).toBe(false)
        newest = reply.body.session.refresh_token
        tokens.push(reply.body.session.access_token)
        return refresh()
      }
      const refreshed = refresh()
      await until(async () => tokens.length > 3)
      await end(crowd)
      isOver = true
      await refreshed
      for (const token of [...tokens.slice(-5), newest])
        expect((await tenant.post('/v1/auth/token/introspect', { token })).body).toEqual({ active: false })
      expect(await sessionsIn(tenant, subOrgId)).toEqual([])
    }
  },
)

test('a process that is killed while it marks sessions leaves the rest to another, and none is told of twice', async () => {
  const { subOrgId, userId } = await newCrowd(12_000)
  const count = async (condition: string) => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from sessions where user_id = ${userId} and ${sql.raw(condition)}`.execute(platform.db)
    return rows[0]?.count ?? 0
  }
  // A row of the second batch is held, so that there is a second batch to be killed in. Nobody but that process works off the queue.
  const held = await platform.db.startTransaction().execute()
  await sql`select from sessions where id = (
    select id from sessions where user_id = ${userId} order by created_at offset 3000 limit 1) for update`.execute(held)
  const reply = await ending.delete(`/v1/users/${userId}/sessions?subOrgId=${subOrgId}`)
  expect(reply.body).toEqual({ success: true, revoked: 10_000 })
  await until(async () => (await count('revoked_at is not null')) > 200)
  other.child.kill('SIGKILL')
  await held.rollback().execute()
  const left = await count('revoked_at is null')
  expect(left).toBeGreaterThan(0)
  await until(async () => {
    await settleCutOffs.handle(platform, {}, 1)
    return (await count('revoked_at is null')) === 0
  })
  const { rows } = await sql<{ target_id: string; times: number }>`
    select target_id, count(*) as times from events
    where type = 'session.revoked' and data ->> 'directory_user_id' = ${userId} group by target_id`.execute(platform.db)
  expect(rows).toHaveLength(12_001)
  expect(rows.filter(({ times }) => times !== 1)).toEqual([])
})
